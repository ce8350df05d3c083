package dev.runlane.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@DisplayName("runlane connectors run, of a connector written in Java,")
@DisplayNameGeneration(ReplaceUnderscores.class)
class JavaConnectorTest {
  private static final Path KIT = Path.of("../connector-kit");
  private static final Path SHELF = KIT.resolve("examples/shelf");

  @Test
  void takes_all_that_the_example_collects() throws Exception {
    Path source = KIT.resolve("src/test/java/com/example/shelf/ShelfConnector.java");
    List<String> shelf = java(
        source.toString(),
        SHELF.resolve("manifest.json").toString(),
        SHELF.resolve("books.jsonl").toString());

    try (CommandRun run = CommandRun.ofManifest(
        SHELF.resolve("manifest.json").toString(), List.of("--records"), shelf)) {
      assertThat(run.exitCode()).as(run.printed()).isZero();
      assertThat(run.records()).containsExactly("978-1", "978-2", "978-3");
      assertThat(run.summary().path("state").path("books").path("line").asInt()).isEqualTo(3);
      run.assertOneEndAndNothingLeft();
    }
  }

  @Test
  void understands_all_that_the_kit_says() throws Exception {
    try (CommandRun run = CommandRun.ofManifest(
        CommandRun.HOSTILE.resolve("manifest.json").toString(),
        List.of("--interaction", "ask"),
        java(TalkativeConnector.class.getName()))) {
      run.awaitEvent("run.interaction_required").type("123456");

      assertThat(run.exitCode()).as(run.printed()).isZero();
      assertThat(run.eventTypes())
          .containsSubsequence(
              "run.started",
              "run.progress_reported",
              "run.interaction_required",
              "run.interaction_completed",
              "run.progress_reported",
              "run.assistance_requested",
              "run.assistance_resolved",
              "run.detail_gap_recorded",
              "run.detail_gap_recovered",
              "run.detail_coverage_declared",
              "run.batch_ingested",
              "run.state_staged",
              "run.stream_skipped",
              "run.state_advanced",
              "run.completed");
      assertThat(run.accepted()).isEqualTo(2);
      assertThat(run.summary().path("state").path("items").path("id").asText()).isEqualTo("cursor");
      assertThat(run.printed()).contains("a word that is no message").doesNotContain("123456");
      run.assertOneEndAndNothingLeft();
    }
  }

  private static List<String> java(String... program) {
    List<String> command = CommandJvm.java(CommandJvm.SHORT);
    command.addAll(List.of(program));
    return command;
  }
}
