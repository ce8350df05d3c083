package dev.runlane.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the pages show is compiled and run: each block stands in a test, apart from white space. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ReadmeTest {
  private static final Path EXAMPLES = Path.of("src/test/java/com/example/orders");
  private static final Pattern JAVA_BLOCK =
      Pattern.compile("^```java\\R(.*?)^```", Pattern.DOTALL | Pattern.MULTILINE);

  @ParameterizedTest
  @CsvSource({"README.md, ChargeTest.java", "../docs/testing.md, SubscriptionTest.java"})
  void every_java_block_is_part_of_a_test_that_runs(Path page, String example) throws IOException {
    String compiled = Files.readString(EXAMPLES.resolve(example)).replaceAll("\\s+", "");

    List<String> blocks = JAVA_BLOCK
        .matcher(Files.readString(page))
        .results()
        .map((MatchResult block) -> block.group(1).replaceAll("\\s+", ""))
        .toList();

    assertThat(blocks).isNotEmpty().allSatisfy(block -> assertThat(compiled).contains(block));
  }
}
