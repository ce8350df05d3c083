package dev.runlane.connector.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.connector.protocol.manifest.ConnectorManifest;
import dev.runlane.connector.protocol.start.CollectionMode;
import dev.runlane.connector.run.Runs.Finished;
import dev.runlane.run.RunlaneException;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("the START that a child reads")
class StartedRunTest {
  /** Leaves what it read as its cursor. */
  private static final String ECHO = "read -r start; "
      + "printf '{\"type\":\"STATE\",\"stream\":\"books\",\"cursor\":%s}\\n' \"$start\"; "
      + "echo '{\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":0}'; "
      + "if read -r more; then exit 9; fi"; // START comes once, and nothing after DONE

  private final Runs runs = new Runs();

  @AfterEach
  void close() {
    runs.close();
  }

  @Test
  void R1_S1_names_the_streams_of_the_manifest_where_no_scope_was_asked_for() {
    JsonNode start = started();

    assertThat(start.path("type").asText()).isEqualTo("START");
    assertThat(start.path("run_id").asText()).startsWith("run_");
    assertThat(start.path("collection_mode").asText()).isEqualTo("incremental");
    assertThat(start.path("scope").toString())
        .isEqualTo("{\"streams\":[{\"name\":\"books\"},{\"name\":\"loans\"}]}");
    assertThat(start.path("state").toString()).isEqualTo("{}");
  }

  @Test
  void R1_S2_R1_S3_has_the_scope_that_was_asked_for_with_the_fields_it_needs() {
    runs.scope("""
        [{"name": "books", "fields": ["note", "id"], "resources": ["a"],
          "time_range": {"since": "2026-01-01", "until": "2026-02-01"}}]""");

    assertThat(started().path("scope").toString())
        .isEqualTo("{\"streams\":[{\"name\":\"books\",\"resources\":[\"a\"],"
            + "\"time_range\":{\"since\":\"2026-01-01\",\"until\":\"2026-02-01\"},"
            + "\"fields\":[\"note\",\"id\",\"at\"]}]}");
  }

  @Test
  void R1_S2_is_not_sent_for_a_scope_that_cannot_be_kept() {
    for (String scope : List.of(
        "[]",
        "[{\"name\": \"*\"}]",
        "[{\"name\": \"films\"}]",
        "[{\"name\": \"books\", \"view\": \"short\"}]",
        "[{\"name\": \"books\", \"necessity\": \"required\"}]",
        "[{\"name\": \"books\", \"fields\": []}]")) {
      Assertions.assertThatThrownBy(() -> runs.scope(scope)).isInstanceOf(RunlaneException.class);
    }
  }

  @Test
  void R1_S4_offers_the_owner_only_where_somebody_answers() {
    assertThat(names(started().path("bindings")))
        .containsExactlyInAnyOrder("network", "filesystem", "interactive");

    runs.interactive = false;

    assertThat(names(started().path("bindings")))
        .containsExactlyInAnyOrder("network", "filesystem");
  }

  @Test
  void is_not_sent_where_the_run_lacks_what_the_manifest_requires_and_the_owner_is_told_what() {
    runs.manifest = ConnectorManifest.parse("""
        {"connector_id": "shelf", "version": "1", "streams": [{"name": "books"}],
         "runtime_requirements": {"bindings": {"interactive": {"required": true}, "browser": {"required": true}}}}""");
    runs.scope("[{\"name\": \"books\"}]");
    runs.interactive = false;

    Finished run = runs.run(ECHO);

    assertThat(run.types()).containsExactly("run.failed");
    assertThat(run.reason()).isEqualTo("launch_failed");
    assertThat(run.end().path("failure_message").asText())
        .isEqualTo("connector shelf requires what this run does not offer: [browser, interactive]");
  }

  @Test
  void has_the_cursors_of_the_run_before_except_for_a_full_refresh_and_null_where_none_are_kept() {
    started();
    assertThat(names(started().path("state"))).containsExactly("books");

    runs.mode = CollectionMode.FULL_REFRESH;
    JsonNode refreshed = started();
    assertThat(refreshed.path("collection_mode").asText()).isEqualTo("full_refresh");
    assertThat(refreshed.path("state")).isEmpty();

    runs.persistState = false;
    assertThat(started().path("state").isNull()).isTrue();
  }

  @Test
  void R4_S1_is_told_with_the_grant_it_was_sent_under() {
    runs.grantId = "grant-1";

    Finished run = runs.run(ECHO);

    assertThat(run.the("run.started").path("grant_id").asText()).isEqualTo("grant-1");
    assertThat(run.end().path("grant_id").asText()).isEqualTo("grant-1");
  }

  private JsonNode started() {
    Finished run = runs.run(ECHO);
    assertThat(run.terminal().type().value()).isEqualTo("run.completed");
    return run.the("run.state_staged").path("cursor");
  }

  private static List<String> names(JsonNode object) {
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }
}
