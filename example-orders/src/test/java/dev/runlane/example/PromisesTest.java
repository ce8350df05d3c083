package dev.runlane.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** {@code PROMISES.md} quotes what pages say and names tests: the words stand there, and the tests are there. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PromisesTest {
  private static final Path PROJECT = Path.of("..");
  private static final Path PROMISES = PROJECT.resolve("PROMISES.md");
  private static final Pattern PAGE = Pattern.compile("## \\[(.+)]\\((.+)\\)");
  private static final Pattern ROW = Pattern.compile("\\| (.+) \\| (`[^|]+`) \\|");
  private static final Pattern TEST = Pattern.compile("`(\\w+)(?:#(\\w+))?`");
  private static final Pattern METHOD = Pattern.compile("\\b(?:void|fun)\\s+(\\w+)\\(");
  private static final int HEADS = 2; // of a table

  private final List<Promise> promises = new ArrayList<>();

  PromisesTest() throws IOException {
    String page = "";
    for (String line : Files.readAllLines(PROMISES)) {
      Matcher heading = PAGE.matcher(line);
      Matcher row = ROW.matcher(line);
      if (heading.matches()) {
        page = heading.group(2);
        assertThat(heading.group(1)).isEqualTo(page);
      } else if (row.matches()) {
        promises.add(new Promise(page, row.group(1), row.group(2)));
      }
    }
  }

  @Test
  void every_line_of_a_table_is_a_promise_with_its_tests() throws IOException {
    List<String> lines = Files.readAllLines(PROMISES);
    long tables = lines.stream().filter(line -> PAGE.matcher(line).matches()).count();

    assertThat(lines.stream().filter(line -> line.startsWith("|")))
        .hasSize((int) (promises.size() + HEADS * tables));
  }

  @Test
  void every_readme_has_a_table() {
    assertThat(promises)
        .extracting(Promise::page)
        .containsAll(MarkdownPage.files(PROJECT, "/README.md").stream()
            .map(file -> PROJECT.relativize(file).toString())
            .toList());
  }

  @Test
  void every_promise_stands_on_its_page_word_for_word() {
    Map<String, String> pages = new HashMap<>();

    List<Promise> gone = promises.stream()
        .filter(promise -> !pages
            .computeIfAbsent(promise.page(), page -> words(PROJECT.resolve(page)))
            .contains(promise.words()))
        .toList();

    assertThat(promises).isNotEmpty();
    assertThat(gone).as("no longer said").isEmpty();
  }

  /** Where lines are broken means nothing. */
  private static String words(Path page) {
    return read(page).replaceAll("\\s+", " ");
  }

  @Test
  void every_test_that_is_named_exists() {
    Set<String> tests = tests();

    List<Promise> untested =
        promises.stream().filter(promise -> !tests.containsAll(promise.tests())).toList();

    assertThat(untested).as("naming a test that is not there").isEmpty();
  }

  /** Simple names, since packages are nobody's business here: classes, and what is in them as {@code Class#method}. */
  private static Set<String> tests() {
    Set<String> tests = new HashSet<>();
    for (String language : List.of(".java", ".kt")) {
      for (Path file : MarkdownPage.files(PROJECT, language)) {
        if (file.toString().contains("/src/")) {
          String name = file.getFileName().toString().replace(language, "");
          tests.add(name);
          METHOD
              .matcher(read(file))
              .results()
              .forEach(method -> tests.add(name + "#" + method.group(1)));
        }
      }
    }
    return tests;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /**
   * A line of a table.
   *
   * @param page where it is said, from the project's folder
   * @param words what is said
   * @param named the tests, each in back quotes
   */
  private record Promise(String page, String words, String named) {
    List<String> tests() {
      return TEST.matcher(named)
          .results()
          .map((MatchResult test) ->
              test.group(2) == null ? test.group(1) : test.group(1) + "#" + test.group(2))
          .toList();
    }
  }
}
