package dev.runlane.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What must not be found in any source of any module, tests included. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class SourceRulesTest {
  private static final Pattern NUMBER = Pattern.compile("(?<!%)%[-+,.$0-9]*[dfeg]");
  private static final Pattern FORMATTED_BY_NAME = Pattern.compile("\\b(\\w+)\\.formatted\\(");
  private static final Path PROJECT = Path.of("..");
  private static final Path HERE = Path.of("SourceRulesTest.java");

  /** Waits for programs of others, which tell nobody. */
  private static final Pattern POLL = Pattern.compile(
      Pattern.quote(PROJECT + "/test-infra/src/main/java/") + "[a-z/]+/Poll\\.java: .*");

  /** All that is compiled in any module, by its file. */
  private static final Map<Path, String> SOURCES = sources();

  @Test
  void no_test_waits_by_sleeping() {
    assertThat(linesWith("Thread\\.sleep|TimeUnit\\.[A-Z]+\\.sleep"))
        .allMatch(line -> POLL.matcher(line).matches());
  }

  @Test
  void no_test_is_switched_off() {
    assertThat(linesWith("^\\s*@Disabled\\b")).isEmpty();
  }

  @Test
  void no_comment_is_wider_than_120_columns() {
    assertThat(linesWith("^(?=.{121})\\s*(\\*|/\\*\\*|//)")).isEmpty();
  }

  @Test
  void nothing_is_left_to_be_done_later() {
    assertThat(linesWith("\\b(TODO|FIXME|XXX)\\b")).isEmpty();
  }

  /** A machine's language decides of the digits of {@code %d} where no locale is named. */
  @Test
  void no_number_of_main_sources_is_written_in_the_digits_of_the_machine() {
    Pattern named = Pattern.compile("String\\.format\\((?!\\s*Locale)(?=\\s*[\"a-zA-Z])");
    String number = NUMBER.pattern();
    String inLine = "(?:[^\"\\\\\\n]|\\\\.)*";
    Pattern line = Pattern.compile("\"" + inLine + number + inLine + "\"\\s*\\.formatted\\(");
    Pattern printed = Pattern.compile("printf\\(\\s*\"" + inLine + number);
    assertThat(mainSources().filter(file -> {
          String source = SOURCES.get(file);
          return formatsBlock(source)
              || formatsConstant(source)
              || Stream.of(named, line, printed)
                  .anyMatch(pattern -> pattern.matcher(source).find());
        }))
        .isEmpty();
  }

  private static boolean formatsBlock(String source) {
    String[] parts = source.split("\"\"\"");
    return IntStream.range(0, parts.length - 1)
        .filter(i -> i % 2 == 1)
        .anyMatch(i -> parts[i + 1].stripLeading().startsWith(".formatted(")
            && NUMBER.matcher(parts[i]).find());
  }

  private static boolean formatsConstant(String source) {
    return FORMATTED_BY_NAME
        .matcher(source)
        .results()
        .flatMap(
            name -> Pattern.compile("\\b" + name.group(1) + " =\\s*(\"{3}[\\s\\S]*?\"{3}|[^;]*);")
                .matcher(source)
                .results())
        .anyMatch(constant -> NUMBER.matcher(constant.group(1)).find());
  }

  @Test
  void every_package_of_main_sources_is_null_marked() {
    List<Path> unmarked = mainSources()
        .filter(file -> !file.endsWith("module-info.java"))
        .map(Path::getParent)
        .distinct()
        .filter(folder ->
            !SOURCES.getOrDefault(folder.resolve("package-info.java"), "").contains("@NullMarked"))
        .toList();

    assertThat(unmarked).isEmpty();
  }

  private static List<String> linesWith(String regex) {
    Pattern pattern = Pattern.compile(regex);
    return SOURCES.entrySet().stream()
        .filter(source -> !source.getKey().endsWith(HERE))
        .flatMap(source -> source
            .getValue()
            .lines()
            .filter(line -> pattern.matcher(line).find())
            .map(line -> source.getKey() + ": " + line.strip()))
        .toList();
  }

  private static Stream<Path> mainSources() {
    return SOURCES.keySet().stream().filter(file -> file.toString().contains("/src/main/java/"));
  }

  private static Map<Path, String> sources() {
    Map<Path, String> sources = new TreeMap<>();
    for (Path file : MarkdownPage.files(PROJECT, ".java")) {
      if (file.toString().contains("/src/")) {
        sources.put(file, MarkdownPage.read(file).text());
      }
    }
    return sources;
  }
}
