package dev.runlane.connector.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.connector.protocol.manifest.ConnectorManifest;
import dev.runlane.connector.protocol.start.CollectionMode;
import dev.runlane.connector.protocol.start.StartScope;
import dev.runlane.connector.run.Runs.Finished;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.run.Json;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("a run of a real connector")
class CheckpointedRunTest {
  static final String BOOK =
      "echo '{\"type\":\"RECORD\",\"stream\":\"books\",\"key\":\"%s\",\"emitted_at\":\"t\",\"data\":{\"id\":\"%s\"}}'; ";
  static final String STATE =
      "echo '{\"type\":\"STATE\",\"stream\":\"books\",\"cursor\":{\"page\":%s}}'; ";
  static final String DONE =
      "echo '{\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":%s}'; ";

  private final Runs runs = new Runs();

  @AfterEach
  void close() {
    runs.close();
  }

  @Test
  void the_end_tells_of_the_first_cursors_where_they_are_very_large_and_stores_them_all() {
    String streams = Stream.of("a", "b", "c", "d", "e", "f")
        .map(name -> "{\"name\": \"" + name + "\", \"primary_key\": [\"id\"]}")
        .collect(Collectors.joining(","));
    runs.manifest = ConnectorManifest.parse("""
        {"protocol_version": "0.1.0", "connector_id": "shelf", "version": "1", "streams": [%s]}""".formatted(streams));
    runs.scope = StartScope.derived(runs.manifest, null);

    runs.run("""
        c=$(head -c 1000000 /dev/zero | tr '\\0' x)
        for s in a b c d e f; do
          echo '{"type":"STATE","stream":"'$s'","cursor":{"c":"'$c'"}}'
        done
        """ + done(0));

    assertThat(runs.signals.events)
        .extracting(TimelineEvent::type)
        .endsWith(TimelineEventType.COMPLETED)
        .filteredOn(TimelineEventType.STATE_ADVANCED::equals)
        .hasSize(4);
    assertThat(runs.cursors()).hasSize(6);
  }

  @Test
  void the_timeline_leaves_out_staged_cursors_beyond_four_mebicharacters_and_says_so() {
    Finished run = runs.run("""
        c=$(head -c 1000000 /dev/zero | tr '\\0' x)
        for n in 1 2 3 4 5 6 7 8 9; do
          echo '{"type":"STATE","stream":"books","cursor":{"c":"'$c'","n":'$n'}}'
        done
        """ + done(0));

    List<JsonNode> staged = run.events().stream()
        .filter(event -> event.type() == TimelineEventType.STATE_STAGED)
        .map(Runs::data)
        .toList();
    assertThat(staged)
        .hasSize(9)
        .allMatch(data -> data.path("stream_id").asText().equals("books"));
    assertThat(staged.subList(0, 4))
        .allMatch(data -> data.has("cursor") && !data.has("cursor_omitted"));
    assertThat(staged.subList(4, 9))
        .allMatch(data -> !data.has("cursor") && data.path("cursor_omitted").asBoolean());
    assertThat(Runs.tree(runs.cursors().get("books").cursor()).path("n").asInt())
        .isEqualTo(9);
  }

  @Test
  void R3_S1_R4_S1_R4_S2_R4_S6_a_successful_run_stores_records_and_cursors_and_tells_it() {
    Finished run = runs.run("read start; " + book("a") + book("b") + state(5) + done(2));

    assertThat(run.types())
        .containsExactly(
            "run.started",
            "run.batch_ingested",
            "run.state_staged",
            "run.state_advanced",
            "run.completed");
    assertThat(run.the("run.started").toString())
        .contains("\"source\":{\"kind\":\"connector\",\"id\":\"shelf\"}")
        .contains("\"collection_mode\":\"incremental\"")
        .contains("\"state_commit_intent\":\"commit_on_success\"")
        .contains("\"bindings\":[\"filesystem\",\"interactive\",\"network\"]")
        .contains("\"scope_streams\":[\"books\",\"loans\"]");
    assertThat(run.the("run.state_staged").toString())
        .contains("\"stream_id\":\"books\"")
        .contains("\"cursor\":{\"page\":5}")
        .contains("\"checkpoint_mode\":\"checkpointed_streaming\"")
        .contains("\"state_streams_staged\":1");
    assertThat(run.end().path("records_emitted").asInt()).isEqualTo(2);
    assertThat(run.end().path("checkpoint_commit_status").asText()).isEqualTo("committed");
    assertThat(run.end().path("state_streams_staged").asInt()).isEqualTo(1);
    assertThat(run.end().path("state_streams_committed").asInt()).isEqualTo(1);
    assertThat(run.end().path("exit_code").asInt(-1)).isZero();
    assertThat(run.end().has("reason")).isFalse();
    assertThat(runs.records("books")).containsExactly("a", "b");
    assertThat(runs.cursors().get("books").cursor()).isEqualTo(Json.ofChecked("{\"page\":5}"));
    assertThat(run.ended().history().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run.ended().history().result().state())
        .isEqualTo(Json.ofChecked("{\"books\":{\"page\":5}}"));
  }

  @Test
  void R3_S1_a_run_that_stages_nothing_is_committed_too() {
    Finished run = runs.run(done(0));

    assertThat(run.end().path("checkpoint_commit_status").asText()).isEqualTo("committed");
  }

  @Test
  void a_run_goes_on_from_the_cursors_of_the_one_before_and_a_full_refresh_does_not() {
    runs.run(state(5) + done(0));
    String echo = "read -r start; case \"$start\" in *'\"state\":{\"books\":{\"page\":5}}'*) "
        + state(6) + " ;; *'\"state\":{}'*) " + state(7) + " ;; esac; " + done(0);

    runs.run(echo);
    assertThat(runs.cursors().get("books").cursor()).isEqualTo(Json.ofChecked("{\"page\":6}"));

    runs.mode = CollectionMode.FULL_REFRESH;
    runs.run(echo);
    assertThat(runs.cursors().get("books").cursor()).isEqualTo(Json.ofChecked("{\"page\":7}"));
  }

  @Test
  void R3_S2_without_persistence_START_has_no_state_and_nothing_is_stored() {
    runs.persistState = false;

    Finished run = runs.run(
        "read -r start; case \"$start\" in *'\"state\":null'*) " + state(5) + done(0) + " ;; esac");

    assertThat(run.end().path("checkpoint_commit_status").asText()).isEqualTo("disabled");
    assertThat(run.the("run.started").path("state_commit_intent").asText())
        .isEqualTo("do_not_persist");
    assertThat(run.types()).doesNotContain("run.state_advanced");
    assertThat(runs.cursors()).isEmpty();
  }

  @Test
  void R3_S4_a_wrong_number_of_records_fails_the_run_and_both_numbers_are_told() {
    Finished run = runs.run(book("a") + book("b") + state(5) + done(3));

    assertThat(run.reason()).isEqualTo("connector_protocol_violation");
    assertThat(run.subtype()).isEqualTo("records_emitted_mismatch");
    assertThat(run.end().path("records_emitted").asInt()).isEqualTo(2);
    assertThat(run.end().path("reported_records_emitted").asInt()).isEqualTo(3);
    assertThat(run.end().path("checkpoint_commit_status").asText()).isEqualTo("not_committed");
    assertThat(runs.records("books")).containsExactly("a", "b");
    assertThat(runs.cursors()).isEmpty();
    assertThat(run.ended().history().result().reportedRecordsEmitted()).isEqualTo(3);
  }

  @Test
  void R3_S4_an_exit_code_that_does_not_agree_fails_the_run() {
    Finished succeeded = runs.run(state(5) + done(0) + "exit 1");
    Finished failed =
        runs.run("echo '{\"type\":\"DONE\",\"status\":\"failed\",\"records_emitted\":0}'");

    assertThat(succeeded.subtype()).isEqualTo("exit_code_mismatch");
    assertThat(succeeded.end().path("exit_code").asInt()).isEqualTo(1);
    assertThat(failed.subtype()).isEqualTo("exit_code_mismatch");
    assertThat(runs.cursors()).isEmpty();
  }

  @Test
  void a_stream_is_sent_when_its_batch_is_full_and_only_that_stream() {
    runs.options.setBatchRecords(3);

    Finished run = runs.run(
        "echo '{\"type\":\"RECORD\",\"stream\":\"loans\",\"key\":\"x\",\"emitted_at\":\"t\",\"data\":{\"id\":\"x\"}}'; "
            + book("a") + book("b") + book("c") + book("d") + state(1) + done(5));

    assertThat(run.events().stream()
            .filter(event -> event.type().value().equals("run.batch_ingested"))
            .map(event -> event.streamId() + " " + Runs.data(event).path("records_accepted")))
        .containsExactly("books 3", "books 1", "loans 1");
  }

  @Test
  void the_fullest_stream_is_sent_whenever_as_many_bytes_wait_as_may() {
    runs.options.setBufferedBytes(200); // a record has about 80

    Finished run = runs.run(
        "echo '{\"type\":\"RECORD\",\"stream\":\"loans\",\"key\":\"x\",\"emitted_at\":\"t\",\"data\":{\"id\":\"x\"}}'; "
            + book("a") + book("b") + book("c") + book("d") + book("e") + book("f") + done(7));

    assertThat(run.events().stream()
            .filter(event -> event.type().value().equals("run.batch_ingested"))
            .map(event -> event.streamId() + " " + Runs.data(event).path("records_accepted")))
        .containsExactlyInAnyOrder("books 2", "books 2", "books 2", "loans 1");
  }

  @Test
  void records_that_the_sink_rejects_are_counted_and_do_not_end_the_run() {
    Finished run = runs.run(book("a")
        + "echo '{\"type\":\"RECORD\",\"stream\":\"books\",\"key\":\"b\",\"emitted_at\":\"t\",\"data\":{\"id\":\"other\"}}'; "
        + done(2));

    assertThat(run.terminal().type().value()).isEqualTo("run.completed");
    assertThat(run.end().path("records_accepted").asInt()).isEqualTo(1);
    assertThat(run.end().path("records_permanently_rejected").asInt()).isEqualTo(1);
  }

  @Test
  void R4_S3_progress_is_told_with_what_was_given_and_nothing_else() {
    Finished run = runs.run(
        "echo '{\"type\":\"PROGRESS\",\"message\":\"Opening\",\"stream\":\"books\",\"count\":1,\"total\":2}'; "
            + "echo '{\"type\":\"PROGRESS\",\"message\":\"Going on\"}'; "
            + done(0));

    assertThat(run.events().stream()
            .filter(event -> event.type().value().equals("run.progress_reported"))
            .map(event -> event.data().text()))
        .containsExactly(
            "{\"message\":\"Opening\",\"stream_id\":\"books\",\"count\":1,\"total\":2}",
            "{\"message\":\"Going on\"}");
  }

  @Test
  void R4_S4_a_skip_is_told_with_its_gap_and_the_end_knows_it() {
    Finished run = runs.run(
        "echo '{\"type\":\"SKIP_RESULT\",\"stream\":\"books\",\"reason\":\"page_locked\",\"message\":\"Visit page 6\",\"recovery_hint\":\"manual_action_required\",\"resource_ids\":[\"p6\"]}'; "
            + done(0));

    assertThat(run.the("run.stream_skipped").path("known_gap").toString())
        .contains("\"reason\":\"page_locked\"")
        .contains("\"message\":\"Visit page 6\"")
        .contains("\"resource_ids\":[\"p6\"]")
        .contains("\"action\":\"manual_action_required\"");
    assertThat(run.end().path("known_gaps")).hasSize(1);
    assertThat(run.end().path("known_gaps_summary").toString())
        .isEqualTo("{\"count\":1,\"by_reason\":{\"page_locked\":1},\"truncated\":false}");
  }

  @Test
  void
      a_connector_that_reports_failure_is_quoted_without_secrets_and_its_last_records_are_dropped() {
    runs.redaction.add(List.of("hunter2"));

    Finished run = runs.run(
        book("a")
            + "echo '{\"type\":\"DONE\",\"status\":\"failed\",\"records_emitted\":1,\"error\":{\"code\":\"login_failed\",\"message\":\"hunter2 was refused\",\"retryable\":false}}'; exit 3");

    assertThat(run.terminal().status()).isEqualTo("failed");
    assertThat(run.reason()).isEqualTo("connector_reported_failed");
    assertThat(run.end().path("connector_error_message").asText())
        .isEqualTo("[REDACTED] was refused");
    assertThat(run.end().path("connector_error_code").asText()).isEqualTo("login_failed");
    assertThat(run.end().path("connector_error_retryable").asBoolean(true)).isFalse();
    assertThat(run.end().path("buffered_records_dropped").asInt()).isEqualTo(1);
    assertThat(run.end().path("known_gaps").toString()).contains("\"kind\":\"run_failed\"");
    assertThat(runs.records("books")).isEmpty();
  }

  @Test
  void a_connector_that_cancels_itself_fails_the_run_with_status_cancelled() {
    Finished run = runs.run(
        "echo '{\"type\":\"DONE\",\"status\":\"cancelled\",\"records_emitted\":0}'; exit 130");

    assertThat(run.terminal().type().value()).isEqualTo("run.failed");
    assertThat(run.terminal().status()).isEqualTo("cancelled");
    assertThat(run.reason()).isEqualTo("connector_reported_cancelled");
  }

  @Test
  void details_that_are_missing_hold_back_the_cursor_that_depends_on_them() {
    Finished run = runs.run(state(5)
        + "echo '{\"type\":\"STATE\",\"stream\":\"loans\",\"cursor\":{}}'; "
        + "echo '{\"type\":\"DETAIL_COVERAGE\",\"reference_only\":true,\"stream\":\"loans\",\"state_stream\":\"books\",\"required_keys\":[\"a\",\"b\"],\"hydrated_keys\":[\"a\"]}'; "
        + done(0));

    assertThat(run.terminal().type().value()).isEqualTo("run.completed");
    assertThat(run.end().path("checkpoint_commit_status").asText())
        .isEqualTo("partially_committed");
    assertThat(run.end().path("known_gaps").toString()).contains("detail_coverage_incomplete");
    assertThat(runs.cursors().keySet()).containsExactly("loans");
  }

  @Test
  void a_page_of_earlier_gaps_is_answered_with_an_empty_one() {
    Finished run = runs.run(
        "read -r start; echo '{\"type\":\"DETAIL_GAPS_PAGE_REQUEST\",\"request_id\":\"p\"}'; read -r page; "
            + "case \"$page\" in *'\"detail_gaps\":[]'*) " + done(0) + " ;; esac");

    assertThat(run.terminal().type().value()).isEqualTo("run.completed");
  }

  @Test
  void events_of_one_kind_are_thinned_out_when_they_do_not_stop() {
    runs.options.setEventsOfAKind(10);

    Finished run = runs.run(
        "i=0; while [ $i -lt 200 ]; do echo '{\"type\":\"PROGRESS\",\"message\":\"m\"}'; i=$((i+1)); done; "
            + done(0));

    assertThat(run.types()).filteredOn("run.progress_reported"::equals).hasSizeBetween(10, 60);
    assertThat(run.end().path("events_left_out").asInt()).isGreaterThan(100);
  }

  @Test
  void an_observer_sees_every_batch_also_those_that_the_timeline_leaves_out() {
    runs.options.setEventsOfAKind(1).setThinnedInterval(Duration.ofHours(1));

    Finished run =
        runs.run(book("a") + state(1) + book("b") + state(2) + book("c") + state(3) + done(3));

    assertThat(run.types()).filteredOn("run.batch_ingested"::equals).hasSize(1);
    assertThat(runs.signals.events)
        .filteredOn(event -> event.type() == TimelineEventType.BATCH_INGESTED)
        .extracting(event -> new JsonObject(event.data().text()).getLong("records_accepted"))
        .containsExactly(1L, 1L, 1L);
  }

  private static String book(String key) {
    return BOOK.formatted(key, key);
  }

  private static String state(int page) {
    return STATE.formatted(page);
  }

  private static String done(int records) {
    return DONE.formatted(records);
  }
}
