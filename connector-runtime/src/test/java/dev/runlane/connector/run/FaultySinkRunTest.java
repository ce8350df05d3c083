package dev.runlane.connector.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.protocol.message.InteractionStatus;
import dev.runlane.connector.run.FaultySink.Fault;
import dev.runlane.connector.run.Runs.Begun;
import dev.runlane.connector.run.Runs.Finished;
import dev.runlane.connector.store.grant.Grant;
import dev.runlane.connector.store.grant.GrantAccessMode;
import dev.runlane.connector.store.grant.GrantState;
import dev.runlane.connector.store.grant.Grants;
import dev.runlane.connector.store.record.SinkFailure;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Backoff;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("a run whose sink does not do what it is asked")
class FaultySinkRunTest {
  private static final String RECORD =
      "echo '{\"type\":\"RECORD\",\"stream\":\"%s\",\"key\":\"%s\",\"emitted_at\":\"t\",\"data\":{\"id\":\"%s\"}}'; ";
  private static final String STATES =
      "echo '{\"type\":\"STATE\",\"stream\":\"books\",\"cursor\":{\"page\":5}}'; "
          + "echo '{\"type\":\"STATE\",\"stream\":\"loans\",\"cursor\":{\"page\":6}}'; ";

  private final Runs runs = new Runs();
  private final FaultySink sink = new FaultySink(runs.store.sink());

  @BeforeEach
  void use() {
    runs.sink = sink;
    runs.options.setSinkBackoff(Backoff.fixed(Duration.ofMillis(1))).setSinkAttempts(3);
  }

  @AfterEach
  void close() {
    runs.close();
  }

  @Test
  void R3_S1_cursors_of_a_sink_elsewhere_are_stored_one_by_one_before_the_end() {
    Finished run = runs.run(STATES + done(0));

    assertThat(sink.committed()).containsOnlyKeys("books", "loans");
    assertThat(run.types())
        .containsSubsequence("run.state_advanced", "run.state_advanced", "run.completed");
    assertThat(run.end().path("state_streams_committed").asInt()).isEqualTo(2);
    assertThat(run.end().path("checkpoint_commit_status").asText()).isEqualTo("committed");
  }

  @Test
  void a_run_stays_on_its_context_whatever_thread_its_sink_answers_on() {
    sink.answersOnItsOwnThreads = true;

    Finished run = runs.run(RECORD.formatted("books", "a", "a") + STATES + done(1));

    assertThat(run.terminal().type().value()).isEqualTo("run.completed");
    assertThat(runs.signals.threads).hasSize(1).doesNotContain(FaultySink.FOREIGN_THREAD);
  }

  @Test
  void R3_no_further_cursor_is_stored_once_the_run_is_cancelled() {
    CompletableFuture<ConnectorRun> begun = new CompletableFuture<>();
    sink.atCommit = () -> begun.join().cancel();
    sink.answersOnItsOwnThreads = true;

    Begun run = runs.begin(STATES + done(0));
    begun.complete(run.run());
    Finished ended = runs.finish(run);

    assertThat(sink.committed()).hasSize(1);
    assertThat(ended.terminal().type().value()).isEqualTo("run.cancelled");
    assertThat(ended.end().path("checkpoint_commit_status").asText())
        .isEqualTo("partially_committed");
  }

  @Test
  void R3_S3_cursors_of_which_some_are_refused_fail_the_run_and_leave_a_gap() {
    sink.commits.put("loans", failure("ingest_http_error", 500));

    Finished run = runs.run(STATES + done(0));

    assertThat(run.terminal().type().value()).isEqualTo("run.failed");
    assertThat(run.reason()).isEqualTo("runtime_error");
    assertThat(run.end().path("state_streams_staged").asInt()).isEqualTo(2);
    assertThat(run.end().path("state_streams_committed").asInt()).isEqualTo(1);
    assertThat(run.end().path("checkpoint_commit_status").asText())
        .isEqualTo("partially_committed");
    assertThat(run.end().path("known_gaps").toString())
        .contains("\"kind\":\"checkpoint_commit\"")
        .contains("\"reason\":\"partially_committed\"")
        .contains("\"action\":\"retry_by_runtime\"");
    assertThat(run.end().path("ingest_failure").toString())
        .contains("\"http_status\":500")
        .contains("\"phase\":\"state_commit\"")
        .contains("\"stream\":\"loans\"");
    assertThat(run.types()).contains("run.state_advanced", "run.state_commit_failed");
    assertThat(run.ended().history().failureReason()).isEqualTo("ingest_http_error");
  }

  @Test
  void R3_S3_cursors_that_are_all_refused_are_not_committed() {
    sink.commits.put("books", failure("ingest_http_error", 500));
    sink.commits.put("loans", failure("ingest_http_error", 500));

    Finished run = runs.run(STATES + done(0));

    assertThat(run.end().path("checkpoint_commit_status").asText()).isEqualTo("not_committed");
    assertThat(run.end().path("known_gaps").toString()).contains("\"reason\":\"not_committed\"");
  }

  @Test
  void a_batch_that_fails_in_a_way_that_passes_is_sent_again_under_its_number_and_stored_once() {
    sink.ingests.addAll(List.of(Fault.UNAVAILABLE, Fault.ANSWER_LOST));

    Finished run = runs.run(record("books", "a") + record("books", "b") + done(2));

    assertThat(run.terminal().type().value()).isEqualTo("run.completed");
    assertThat(sink.batchNumbers).containsExactly(1L, 1L, 1L);
    assertThat(run.end().path("records_accepted").asInt()).isEqualTo(2);
    assertThat(runs.records("books")).containsExactly("a", "b");
  }

  @Test
  void a_batch_that_fails_again_and_again_fails_the_run_and_is_counted_as_unresolved() {
    sink.ingests.addAll(List.of(Fault.UNAVAILABLE, Fault.UNAVAILABLE, Fault.UNAVAILABLE));

    Finished run = runs.run(record("books", "a")
        + "echo '{\"type\":\"STATE\",\"stream\":\"books\",\"cursor\":{}}'; exec sleep 60");

    assertThat(run.reason()).isEqualTo("ingest_batch_storage_error");
    assertThat(run.end().path("failure_origin").asText()).isEqualTo("transport");
    assertThat(run.end().path("records_unresolved_retryable").asInt()).isEqualTo(1);
    assertThat(run.end().path("ingest_failure").toString())
        .isEqualTo(
            "{\"stream\":\"books\",\"batch_size\":1,\"http_status\":503,\"phase\":\"ingest\","
                + "\"response_content_type\":\"application/json\",\"response_body_bytes\":17}");
    assertThat(run.types()).doesNotContain("run.state_staged");
    assertThat(run.ended().history().httpStatus()).isEqualTo(503);
  }

  @Test
  void a_refusal_for_good_is_not_tried_again_and_its_code_is_the_reason() {
    sink.ingests.add(Fault.UNAUTHORIZED);

    Finished run = runs.run(record("books", "a") + done(1));

    assertThat(run.reason()).isEqualTo("authentication_error");
    assertThat(sink.batchNumbers).hasSize(1);
    assertThat(run.end().path("records_permanently_rejected").asInt()).isEqualTo(1);
  }

  @Test
  void R3_records_that_the_storage_has_lost_fail_the_run_at_the_next_batch_of_their_stream() {
    sink.commitsAtRunEnd = true;
    sink.ingests.add(Fault.STORED_AND_LOST);

    Finished run =
        runs.run(record("books", "a") + STATES + record("books", "b") + STATES + done(2));

    assertRecordsLost(run);
    assertThat(sink.batchNumbers).as("which is not sent again").containsExactly(1L, 2L);
    assertThat(run.end().path("ingest_failure").toString())
        .isEqualTo("{\"stream\":\"books\",\"batch_size\":1,\"phase\":\"ingest\"}");
    assertThat(runs.records("books")).isEmpty();
  }

  @Test
  void R3_records_that_the_storage_has_lost_fail_the_run_at_its_end() {
    sink.commitsAtRunEnd = true;
    sink.ingests.add(Fault.STORED_AND_LOST);

    Finished run =
        runs.run(record("books", "a") + STATES + record("loans", "b") + STATES + done(2));

    assertRecordsLost(run);
    assertThat(run.types()).doesNotContain("run.state_advanced");
    assertThat(run.end().path("ingest_failure").toString())
        .isEqualTo("{\"phase\":\"state_commit\"}");
    assertThat(run.end().path("known_gaps").toString()).contains("\"reason\":\"not_committed\"");
    assertThat(runs.records("loans")).as("what is there stays").containsExactly("b");
  }

  @Test
  void R3_S2_records_that_the_storage_has_lost_fail_a_run_that_keeps_no_cursors_too() {
    sink.commitsAtRunEnd = true;
    sink.ingests.add(Fault.STORED_AND_LOST);
    runs.persistState = false;

    Finished run = runs.run(record("books", "a") + STATES + done(1));

    assertRecordsLost(run);
    assertThat(run.end().path("known_gaps").toString()).doesNotContain("checkpoint_commit");
  }

  private void assertRecordsLost(Finished run) {
    assertThat(run.terminal().type().value()).isEqualTo("run.failed");
    assertThat(run.reason()).isEqualTo("stored_records_lost");
    assertThat(run.end().path("failure_origin").asText()).isEqualTo("storage");
    assertThat(run.end().path("failure_message").asText())
        .isEqualTo("records of this run that were stored are missing: the storage has lost them");
    assertThat(run.end().path("state_streams_committed").asInt()).isZero();
    assertThat(run.ended().history().failureReason()).isEqualTo("stored_records_lost");
    assertThat(runs.cursors()).isEmpty();
  }

  @Test
  void a_sink_that_keeps_no_numbers_may_store_cursors_at_the_end_of_a_run() {
    CountingSink counting = new CountingSink();
    counting.commitsAtRunEnd = true;
    runs.sink = counting;

    Finished run = runs.run(record("books", "a") + STATES + done(1));

    assertThat(run.terminal().type().value()).isEqualTo("run.completed");
    assertThat(runs.cursors()).containsOnlyKeys("books", "loans");
  }

  @Test
  void a_stream_the_sink_does_not_know_is_skipped_and_the_run_goes_on() {
    sink.unknownStreams.add("loans");

    Finished run = runs.run(record("books", "a")
        + record("loans", "b")
        + STATES
        + record("loans", "c")
        + STATES
        + done(3));

    assertThat(run.terminal().type().value()).isEqualTo("run.completed");
    assertThat(run.the("run.stream_skipped").toString()).contains("manifest_stream_unresolved");
    assertThat(run.end().path("checkpoint_commit_status").asText()).isEqualTo("committed");
    assertThat(run.end().path("buffered_records_dropped").asInt()).isEqualTo(2);
    assertThat(run.end().path("records_attempted").asInt()).isEqualTo(1);
    assertThat(run.end().path("records_emitted").asInt()).isEqualTo(3);
    assertThat(sink.committed()).containsOnlyKeys("books");
  }

  @Test
  void R9_S3_cursors_that_a_grant_refuses_fail_the_run_before_anything_is_started() {
    sink.stateFailure =
        FaultySink.failure("grant_revoked", SinkFailure.Phase.STATE_READ, 403, false);

    Finished run = runs.run("exit 9");

    assertThat(run.types()).containsExactly("run.failed");
    assertThat(run.reason()).isEqualTo("grant_revoked");
    assertThat(run.end().has("exit_code")).isFalse();
  }

  @Test
  void R9_S3_a_grant_that_ends_during_a_run_fails_it_with_its_code() {
    runs.sink = runs.store.sink();
    runs.grantId = "lasting";
    Instant now = Clock.system().now();
    Grants grants = runs.store.grants();
    Runs.await(grants.put(
        new Grant("lasting", "shelf", GrantAccessMode.CONTINUOUS, GrantState.ACTIVE, null), now));
    Begun run = runs.begin(record("books", "a")
        + STATES
        + "read -r start; "
        + "echo '{\"type\":\"INTERACTION\",\"request_id\":\"q\",\"kind\":\"otp\",\"message\":\"m\"}'; "
        + "read -r answer; "
        + record("books", "b")
        + STATES
        + "exec sleep 60");
    runs.signals.await("run.interaction_required");

    Runs.await(grants.revoke("lasting", now));
    Runs.await(run.run().answer("q", InteractionStatus.SUCCESS, null));

    Finished finished = runs.finish(run);
    assertThat(finished.terminal().type().value()).isEqualTo("run.failed");
    assertThat(finished.reason()).isEqualTo("grant_revoked");
    assertThat(finished.ended().history().failureReason()).isEqualTo("grant_revoked");
    assertThat(runs.records("books")).as("what came under the grant stays").containsExactly("a");
    assertThat(runs.cursors()).isEmpty();
    assertThat(finished.end().path("checkpoint_commit_status").asText()).isEqualTo("not_committed");
  }

  @Test
  void R9_S3_a_grant_that_is_not_there_fails_a_run_with_its_code() {
    runs.sink = runs.store.sink();
    runs.grantId = "no_such_grant";

    Finished run = runs.run(record("books", "a") + done(1));

    assertThat(run.reason()).isEqualTo("grant_invalid");
    assertThat(runs.records("books")).isEmpty();
  }

  @Test
  void R11_S5_an_end_whose_answer_is_lost_is_stored_again_and_told_once() {
    runs.sink = runs.store.sink();
    int[] calls = {0};
    runs.ends = command -> runs.store
        .runEnds()
        .end(command)
        .compose(ended -> ++calls[0] < 3
            ? Future.failedFuture(RunlaneException.unavailable(
                ErrorCode.STORAGE_UNAVAILABLE, null, "the answer was lost"))
            : Future.succeededFuture(ended));

    Finished run = runs.run(record("books", "a") + STATES + done(1));

    assertThat(run.types()).filteredOn("run.completed"::equals).hasSize(1);
    assertThat(run.ended().succeeded()).isTrue();
    assertThat(calls[0]).isEqualTo(3);
    assertThat(runs.cursors()).containsOnlyKeys("books", "loans");
  }

  private static SinkFailure failure(String reason, int status) {
    return FaultySink.failure(reason, SinkFailure.Phase.STATE_COMMIT, status, true);
  }

  private static String record(String stream, String key) {
    return RECORD.formatted(stream, key, key);
  }

  private static String done(int records) {
    return "echo '{\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":" + records
        + "}'";
  }
}
