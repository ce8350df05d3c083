package dev.runlane.connector.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.connector.run.Runs.Finished;
import dev.runlane.run.Json;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("a connector that accounts for details and writes notes to its owner")
class DetailedRunTest {
  private final Runs runs = new Runs();

  @AfterEach
  void close() {
    runs.close();
  }

  @Test
  void tells_every_gap_coverage_and_note_in_its_order() {
    Finished run = run("succeeded");

    assertThat(run.types())
        .containsExactly(
            "run.started",
            "run.assistance_requested",
            "run.assistance_resolved",
            "run.assistance_requested",
            "run.detail_gap_recorded",
            "run.detail_gap_recovered",
            "run.detail_coverage_declared",
            "run.detail_coverage_declared",
            "run.batch_ingested",
            "run.state_staged",
            "run.state_staged",
            "run.assistance_resolved",
            "run.state_advanced",
            "run.completed");
    assertThat(run.the("run.detail_gap_recorded").toString())
        .contains("\"stream\":\"loans\"")
        .contains("\"reason\":\"rate_limited\"")
        .contains("\"parent_stream\":\"books\",\"record_key\":\"2\"")
        .contains("{\"action\":\"retry_by_runtime\",\"retryable\":true}");
    assertThat(run.the("run.detail_gap_recovered").toString())
        .contains("\"gap_id\":\"g1\"", "\"record_key\":\"9\"");
    assertThat(runs.records("books")).containsExactly("1", "2", "3");
  }

  @Test
  void holds_back_the_cursor_whose_details_are_missing_and_no_other() {
    Finished run = run("succeeded");

    assertThat(run.end().path("checkpoint_commit_status").asText())
        .isEqualTo("partially_committed");
    assertThat(run.end().path("state_streams_staged").asInt()).isEqualTo(2);
    assertThat(run.end().path("state_streams_committed").asInt()).isEqualTo(1);
    assertThat(runs.cursors().keySet()).containsExactly("books");
    assertThat(runs.cursors().get("books").cursor()).isEqualTo(Json.ofChecked("{\"page\":3}"));
    assertThat(gaps(run)).containsExactly("detail_gap loans", "detail_coverage loans");
    JsonNode facts = run.end().path("collection_facts").path("streams");
    assertThat(facts.path(0).toString())
        .contains("\"checkpoint\":\"committed\"", "\"considered\":3", "\"covered\":2");
    assertThat(facts.path(1).toString())
        .contains("\"checkpoint\":\"not_committed\"", "\"pending_detail_gaps\":1");
  }

  @Test
  void ends_its_open_notes_with_the_run() {
    Finished run = run("failed");

    assertThat(notes(run))
        .containsExactly(
            "requested phone started",
            "resolved phone resolved",
            "requested asst_2 started",
            "cancelled asst_2 cancelled");
    assertThat(run.reason()).isEqualTo("connector_reported_failed");
    assertThat(runs.cursors()).isEmpty();
    assertThat(run.events().toString()).doesNotContain("123456");
  }

  private Finished run(String status) {
    return runs.finish(
        runs.begin(List.of("node", "src/test/resources/connectors/details.mjs", status)));
  }

  private static List<String> gaps(Finished run) {
    List<String> gaps = new ArrayList<>();
    run.end()
        .path("known_gaps")
        .forEach(
            gap -> gaps.add(gap.path("kind").asText() + " " + gap.path("stream").asText()));
    return gaps;
  }

  private static List<String> notes(Finished run) {
    return run.events().stream()
        .filter(event -> event.type().value().startsWith("run.assistance_"))
        .map(event -> event.type().value().substring("run.assistance_".length()) + " "
            + Runs.data(event).path("assistance_request_id").asText() + " " + event.status())
        .toList();
  }
}
