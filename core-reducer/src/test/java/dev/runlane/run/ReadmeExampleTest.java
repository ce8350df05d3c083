package dev.runlane.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Runs the README's example, and holds its diagram and table to the transition table. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ReadmeExampleTest {
  private static final Path SOURCE =
      Path.of("src/test/java/dev/runlane/run/ReadmeExampleTest.java");

  @Test
  void a_run_is_created_claimed_and_started() {
    // readme:begin
    Environment production = new Environment("production");
    Instant now = Instant.parse("2026-01-01T12:00:00Z");
    EventHeader header = EventHeader.bySystem(production, "run_123", now);

    RunEvent created = new RunEvent.Created(
        header,
        "emails.send",
        ContractDefaults.QUEUE,
        Json.ofChecked("{\"userId\":\"user_123\"}"),
        null,
        RunKeys.NONE,
        RunSource.TRIGGER);
    RunRecord queued =
        RunReducer.projectRunEvents(null, ContractDefaults.NEW_EVENT_SEQUENCE, List.of(created));

    Lease lease = new Lease("tok_1", "worker_1", now.plus(Duration.ofSeconds(30)));
    RunRecord running = RunReducer.projectRunEvents(
        queued,
        queued.eventSequence(),
        List.of(new RunEvent.LeaseClaimed(header, lease), new RunEvent.Started(header, 1)));
    // running.status() is RUNNING, running.eventSequence() 3, running.counters().attempts() 1
    // readme:end

    assertThat(queued.status()).isEqualTo(RunStatus.QUEUED);
    assertThat(running.status()).isEqualTo(RunStatus.RUNNING);
    assertThat(running.eventSequence()).isEqualTo(3);
    assertThat(running.counters().attempts()).isEqualTo(1);
  }

  @Test
  void the_readme_shows_this_example() throws IOException {
    String source = Files.readString(SOURCE);
    String begin = "    // readme:begin\n";
    String example = source.substring(
        source.indexOf(begin) + begin.length(), source.indexOf("    // readme:end\n"));

    assertThat(readme()).contains("```java\n" + example.replaceAll("(?m)^    ", "") + "```\n");
  }

  @Test
  void the_readmes_state_diagram_is_that_of_the_transition_table() throws IOException {
    assertThat(block("diagram")).isEqualTo(new TransitionDocs(TransitionTable.read()).diagram());
  }

  @Test
  void the_readmes_table_is_that_of_the_transition_table() throws IOException {
    assertThat(block("table")).isEqualTo(new TransitionDocs(TransitionTable.read()).markdown());
  }

  /** The text between the two comments that mark a generated part; a failure shows what it must be. */
  private static String block(String name) throws IOException {
    String begin = "<!-- generated from transitions.csv: " + name + " -->\n";
    assertThat(readme()).contains(begin);
    String rest = readme().substring(readme().indexOf(begin) + begin.length());
    return rest.substring(0, rest.indexOf("<!-- end -->"));
  }

  private static String readme() throws IOException {
    return Files.readString(Path.of("README.md"));
  }
}
