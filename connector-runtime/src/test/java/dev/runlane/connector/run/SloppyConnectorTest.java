package dev.runlane.connector.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.run.Runs.Finished;
import dev.runlane.connector.store.run.EndRun;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("a connector that writes as nobody here would, and not wrongly")
class SloppyConnectorTest {
  private final Runs runs = new Runs();

  @AfterEach
  void close() {
    runs.close();
  }

  @Test
  void may_end_its_lines_as_on_Windows_leave_some_empty_and_not_end_the_last() {
    Finished run = runs.run("""
        read -r start
        printf '\\r\\n   \\n'
        printf ' {"type" : "STATE" ,"stream":"books","cursor":{"page":5}} \\r\\n\\n\\n'
        printf '{"type":"DONE","status":"succeeded","records_emitted":0}'
        """);

    assertThat(run.terminal().type().value()).isEqualTo("run.completed");
    assertThat(runs.cursors().get("books").cursor()).isEqualTo(Json.ofChecked("{\"page\":5}"));
  }

  @Test
  void may_order_its_members_as_it_likes_add_some_and_write_null_for_none() {
    Finished run = runs.run("""
        read -r start
        echo '{"emitted_at":"now","extra":{"a":[1]},"data":{"id":"b","n":123456789012345678901234567890},"key":"b","op":null,"stream":"books","type":"RECORD"}'
        echo '{"message":"m","stream":null,"count":null,"total":1e3,"type":"PROGRESS","eta":"soon"}'
        echo '{"type":"SKIP_RESULT","stream":null,"reason":"r","message":null,"recovery_hint":null,"resource_ids":null,"time_range":{"since":null},"diagnostics":["a",1],"continuation":null}'
        echo '{"error":null,"records_emitted":1.0,"status":"succeeded","type":"DONE","took":1.5}'
        """);

    assertThat(run.types())
        .containsExactly(
            "run.started",
            "run.progress_reported",
            "run.stream_skipped",
            "run.batch_ingested",
            "run.completed");
    assertThat(run.the("run.progress_reported").has("stream_id")).isFalse();
    assertThat(run.the("run.stream_skipped").path("diagnostics").toString()).isEqualTo("[\"a\",1]");
    assertThat(runs.records("books")).containsExactly("b");
  }

  @Test
  void gets_back_the_cursor_it_left_when_that_has_half_a_character() {
    String cursor = "{\"title\":\"cut \\ud83d\",\"nul\":\"\\u0000\",\"n\":1.10}";
    String done = "echo '{\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":0}'";
    runs.run("printf '%s\\n' '{\"type\":\"STATE\",\"stream\":\"books\",\"cursor\":" + cursor
        + "}'; " + done);

    Finished again = runs.run("read -r start; case \"$start\" in *'"
        + "cut \\ud83d\",\"nul\":\"\\u0000\",\"n\":1.1" + "'*) " + done + " ;; *) exit 9 ;; esac");

    assertThat(again.terminal().type().value()).isEqualTo("run.completed");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"type\":\"NEWS\\udc00\"}|unknown_message_type",
        "{\"type\":\"RECORD\",\"stream\":\"books\",\"key\":\"b\",\"emitted_at\":\"t\",\"data\":{\"id\":\"b\",\"\\u0000\":1}}|record_outside_fields",
        "{\"type\":\"STATE\",\"stream\":\"\\u0000\",\"cursor\":{}}|state_for_undeclared_stream"
      })
  void ends_its_run_also_when_what_it_broke_has_a_name_that_cannot_be_stored(
      String line, String subtype) {
    runs.scope("[{\"name\": \"books\", \"fields\": [\"at\"]}]");

    Finished run = runs.run("printf '%s\\n' '" + line + "'; exec sleep 60");

    assertThat(run.subtype()).isEqualTo(subtype);
    assertThat(run.end().path("violation").path("line").asInt()).isEqualTo(1);
  }

  @Test
  void ends_its_run_without_what_it_said_where_no_store_can_hold_that() {
    List<EndRun> refused = new ArrayList<>();
    runs.ends = command -> {
      if (refused.isEmpty()) {
        refused.add(command);
        return Future.failedFuture(RunlaneException.validationFailed("too large"));
      }
      return runs.store.runEnds().end(command);
    };

    Finished run = runs.run("""
        read -r start
        echo '{"type":"STATE","stream":"books","cursor":{"page":5}}'
        echo '{"type":"SKIP_RESULT","stream":"books","reason":"odd"}'
        echo '{"type":"DONE","status":"succeeded","records_emitted":0}'
        """);

    assertThat(run.terminal().type().value()).isEqualTo("run.failed");
    assertThat(run.reason()).isEqualTo("runtime_error");
    assertThat(run.end().path("known_gaps").toString()).doesNotContain("odd");
    assertThat(run.end().path("checkpoint_commit_status").asText()).isEqualTo("not_committed");
    assertThat(runs.cursors()).isEmpty();
    assertThat(refused.get(0).cursors()).hasSize(1);
  }

  @Test
  void ends_its_run_also_when_its_error_is_cut_within_a_character() {
    String word = "x".repeat(500 + 4096 - 1); // one opaque word, as far as an error is looked at
    Finished run = runs.run(
        "echo '{\"type\":\"DONE\",\"status\":\"failed\",\"records_emitted\":0,\"error\":{\"message\":\""
            + word + "\\ud83d\\udca5\"}}'; exit 1");

    assertThat(run.reason()).isEqualTo("connector_reported_failed");
    assertThat(run.end().path("connector_error_message").asText()).isEqualTo("[REDACTED]");
  }
}
