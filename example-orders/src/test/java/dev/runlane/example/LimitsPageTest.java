package dev.runlane.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** The page of limits says the numbers that the sources say. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class LimitsPageTest {
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| (.+) \\| ([0-9 ]+) \\| `(\\w+)\\.(\\w+)` \\|$");
  private static final Pattern ANY_CONSTANT = Pattern.compile("(?m)^\\|.*`\\w+\\.[A-Z_]+` \\|$");

  @Test
  void every_number_is_that_of_its_constant() {
    String page = MarkdownPage.read(MarkdownPage.PROJECT.resolve("docs").resolve("limits.md"))
        .text();
    List<MatchResult> rows = ROW.matcher(page).results().toList();
    List<String> wrong = new ArrayList<>();
    for (MatchResult row : rows) {
      long said = Long.parseLong(row.group(2).replace(" ", ""));
      long is = value(row.group(3), row.group(4));
      if (said != is) {
        wrong.add(row.group(1) + ": " + said + " instead of " + is);
      }
    }

    assertThat(rows).hasSameSizeAs(ANY_CONSTANT.matcher(page).results().toList());
    assertThat(rows).hasSizeGreaterThan(30);
    assertThat(wrong).isEmpty();
  }

  /** What a source gives a constant: a number, shifted or multiplied. */
  private static long value(String type, String constant) {
    Pattern wanted = Pattern.compile("\\b(?:int|long) " + constant + " = ([0-9_L<* ]+);");
    List<MatchResult> found =
        MarkdownPage.files(MarkdownPage.PROJECT, "/" + type + ".java").stream()
            .filter(file -> file.toString().contains("/src/main/java/"))
            .flatMap(file -> wanted.matcher(MarkdownPage.read(file).text()).results())
            .toList();
    assertThat(found).as("numbers %s of classes %s", constant, type).hasSize(1);
    return evaluated(found.get(0).group(1).replaceAll("[_L ]", ""));
  }

  private static long evaluated(String expression) {
    String[] shifted = expression.split("<<");
    long product = Arrays.stream(shifted[0].split("\\*"))
        .mapToLong(Long::parseLong)
        .reduce(1, (one, other) -> one * other);
    return shifted.length == 1 ? product : product << Integer.parseInt(shifted[1]);
  }
}
