package dev.runlane.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("commands in blocks of the guide")
@DisplayNameGeneration(ReplaceUnderscores.class)
class GuideCommandsTest {
  private static final Path DOCS = Path.of("../docs");
  private static final String PROGRAM = "./runlane ";
  private static final int LONGEST_NAME = 3; // in words, such as jobs schedules list

  @Test
  void are_there_with_each_option_that_they_are_given() throws IOException {
    List<String> lines;
    try (Stream<Path> files = Files.walk(DOCS)) {
      lines = files
          .filter(file -> file.toString().endsWith(".md"))
          .flatMap(GuideCommandsTest::lines)
          .map(String::strip)
          .filter(line -> line.startsWith(PROGRAM))
          .distinct()
          .toList();
    }

    assertThat(lines).isNotEmpty().allSatisfy(line -> {
      List<String> words = Arrays.asList(
          line.substring(PROGRAM.length()).replaceAll("'[^']*'", "").split(" +"));
      String help = help(words);
      assertThat(words.stream().filter(word -> word.startsWith("--")))
          .allSatisfy(option -> assertThat(help).contains(option));
    });
  }

  /** Of the command with the longest name that these words begin with. */
  private static String help(List<String> words) {
    for (int length = Math.min(LONGEST_NAME, words.size()); length > 0; length--) {
      String name = String.join(" ", words.subList(0, length));
      Printed printed = Printed.by((name + " --help").split(" "));
      if (printed.out().contains("Usage: runlane " + name + " ")) {
        return printed.out();
      }
    }
    throw new AssertionError("there is no command " + words);
  }

  private static Stream<String> lines(Path file) {
    try {
      return Files.readAllLines(file).stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
