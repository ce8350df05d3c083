package dev.runlane.connector.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.process.ChildProcessOptions;
import dev.runlane.connector.protocol.message.InteractionStatus;
import dev.runlane.connector.run.Runs.Begun;
import dev.runlane.connector.run.Runs.Finished;
import dev.runlane.connector.run.request.AnswerOutcome;
import dev.runlane.connector.run.request.ConnectorRunResult;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.run.CancelOutcome;
import dev.runlane.connector.store.run.RequestCancel;
import dev.runlane.connector.store.run.TakeOverRun;
import dev.runlane.connector.store.timeline.TimelineActor;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.run.Json;
import dev.runlane.testinfra.process.Poll;
import dev.runlane.timing.Clock;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("a run that is stopped from outside")
class StoppedRunTest {
  private static final String RECORD =
      "echo '{\"type\":\"RECORD\",\"stream\":\"books\",\"key\":\"a\",\"emitted_at\":\"t\",\"data\":{\"id\":\"a\"}}'; ";
  private static final String STATE =
      "echo '{\"type\":\"STATE\",\"stream\":\"books\",\"cursor\":{\"page\":5}}'; ";
  private static final String UP = "echo '{\"type\":\"PROGRESS\",\"message\":\"up\"}'; ";
  private static final String NAP = "while :; do sleep 0.01; done";

  /** A child that leaves when it is asked has longer for it than any machine needs. */
  private final Runs runs =
      new Runs(new ChildProcessOptions().setTerminationGrace(Duration.ofSeconds(30)));

  @AfterEach
  void close() {
    runs.close();
  }

  @Test
  void R3_S5_R4_S5_R4_S7_the_owners_cancellation_keeps_what_was_sent_and_commits_nothing() {
    Begun run = runs.begin(RECORD + STATE + RECORD + UP + "trap 'exit 0' TERM; " + NAP);
    runs.signals.await("run.progress_reported");

    cancel(run);

    Finished finished = runs.finish(run);
    assertThat(finished.terminal().type().value()).isEqualTo("run.cancelled");
    assertThat(finished.terminal().status()).isEqualTo("cancelled");
    assertThat(finished.reason()).isEqualTo("owner_cancelled");
    assertThat(finished.types()).containsSubsequence("run.cancel_requested", "run.cancelled");
    assertThat(finished.end().path("checkpoint_commit_status").asText()).isEqualTo("not_committed");
    assertThat(finished.end().path("buffered_records_dropped").asInt()).isEqualTo(1);
    assertThat(runs.records("books")).containsExactly("a");
    assertThat(runs.cursors()).isEmpty();
    assertThat(finished.ended().history().status()).isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  void R4_S7_a_child_that_has_to_be_killed_is_told_apart() {
    try (Runs brief = new Runs()) {
      Begun run = brief.begin("trap '' TERM; " + UP + NAP);
      brief.signals.await("run.progress_reported");

      cancel(brief, run);

      assertThat(brief.finish(run).reason()).isEqualTo("owner_cancel_forced");
    }
  }

  @Test
  void R4_S7_a_cancellation_before_the_end_is_stored_wins_over_DONE(@TempDir Path folder)
      throws Exception {
    Path cancelled = folder.resolve("cancelled");
    Begun run = runs.begin(STATE
        + "echo '{\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":0}'; "
        + "cat >/dev/null; echo going >&2; until [ -e " + cancelled + " ]; do sleep 0.02; done");
    runs.signals.await("run.state_staged");
    await(() -> Runs.await(run.run().stderrTail())
        .filter(tail -> tail.bytesObserved() > 0)
        .isPresent());

    requestCancel(runs, run); // the request alone: this process is not told
    Files.createFile(cancelled);

    Finished finished = runs.finish(run);
    assertThat(finished.reason()).isEqualTo("owner_cancelled");
    assertThat(finished.end().path("state_streams_committed").asInt(-1)).isZero();
    assertThat(runs.cursors()).isEmpty();
  }

  @Test
  void R6_S5_a_cancellation_ends_only_its_own_child() {
    Begun one = runs.begin(UP + NAP);
    runs.signals.await("run.progress_reported");
    Runs others = new Runs();
    Begun other = others.begin(
        "echo '{\"type\":\"INTERACTION\",\"request_id\":\"q\",\"kind\":\"otp\",\"message\":\"m\"}'; "
            + "read -r start; read -r answer; "
            + "echo '{\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":0}'");
    others.signals.await("run.interaction_required");

    cancel(one);
    assertThat(runs.finish(one).reason()).isEqualTo("owner_cancelled");

    assertThat(Runs.await(other.run().answer("q", InteractionStatus.SUCCESS, null)))
        .as("the other's child still waits for its answer")
        .isEqualTo(AnswerOutcome.DELIVERED);
    Finished finished = others.finish(other);
    assertThat(finished.terminal().type().value()).isEqualTo("run.completed");
    assertThat(finished.types()).doesNotContain("run.cancel_requested");
    others.close();
  }

  @Test
  void a_cancellation_before_there_is_a_child_starts_none() {
    Begun run = runs.begin(UP + NAP);
    cancel(run);

    Finished finished = runs.finish(run);

    assertThat(finished.reason()).startsWith("owner_cancel");
  }

  @Test
  void a_cancellation_while_a_question_waits_drops_it() {
    Begun run = runs.begin(
        "echo '{\"type\":\"INTERACTION\",\"request_id\":\"q\",\"kind\":\"otp\",\"message\":\"m\"}'; "
            + NAP);
    runs.signals.await("run.interaction_required");

    cancel(run);

    Finished finished = runs.finish(run);
    assertThat(finished.reason()).isEqualTo("owner_cancelled");
    assertThat(finished.types()).doesNotContain("run.interaction_completed");
    assertThat(finished.ended().history().result().needsAttention()).isTrue();
  }

  @Test
  void R11_S5_a_run_that_somebody_took_over_tells_nothing_more_and_loses_its_child() {
    Begun run = runs.begin(UP + "while :; do " + RECORD + STATE + " sleep 0.01; done");
    runs.signals.await("run.progress_reported");

    Runs.await(runs.store
        .activeRuns()
        .takeOver(new TakeOverRun(
            run.active().run().runId(),
            run.active().generation(),
            run.active().controller(),
            Clock.system().now())));

    Finished finished = runs.finish(run);
    assertThat(finished.result()).isEqualTo(new ConnectorRunResult.FencedOut());
    assertThat(finished.types()).doesNotContain("run.failed", "run.completed");
  }

  @Test
  void a_lost_lease_ends_the_child_and_tells_nothing() {
    Begun run = runs.begin(UP + NAP);
    runs.signals.await("run.progress_reported");

    run.run().leaseLost();

    assertThat(runs.finish(run).result()).isEqualTo(new ConnectorRunResult.FencedOut());
  }

  @Test
  void a_process_that_stops_leaves_its_run_abandoned() {
    Begun run = runs.begin(RECORD + STATE + UP + NAP);
    runs.signals.await("run.progress_reported");

    run.run().abandon();

    Finished finished = runs.finish(run);
    assertThat(finished.terminal().type().value()).isEqualTo("run.abandoned");
    assertThat(finished.terminal().status()).isEqualTo("abandoned");
    assertThat(finished.reason()).isEqualTo("controller_terminated_before_run_finished");
    assertThat(runs.records("books")).containsExactly("a");
    assertThat(runs.cursors()).isEmpty();
  }

  @Test
  void a_run_that_takes_too_long_fails_whatever_it_waits_for() {
    runs.options.setRunLimit(Duration.ofMillis(300));

    Finished run = runs.run(
        "echo '{\"type\":\"INTERACTION\",\"request_id\":\"q\",\"kind\":\"otp\",\"message\":\"m\"}'; "
            + NAP);

    assertThat(run.terminal().type().value()).isEqualTo("run.failed");
    assertThat(run.reason()).isEqualTo("run_timed_out");
    assertThat(run.end().path("failure_origin").asText()).isEqualTo("runtime");
  }

  @Test
  void a_connector_that_says_nothing_for_too_long_fails_the_run() {
    runs.options.setSilenceLimit(Duration.ofMillis(200));

    Finished run = runs.run(UP + NAP);

    assertThat(run.reason()).isEqualTo("run_timed_out");
    assertThat(run.end().path("failure_message").asText()).contains("said nothing");
  }

  @Test
  void a_connector_that_nobody_watches_has_a_limit_of_its_own() {
    runs.options.setUnattendedSilenceLimit(Duration.ofMillis(200));
    runs.unattended = true;

    Finished run = runs.run(UP + NAP);

    assertThat(run.reason()).isEqualTo("run_timed_out");
    assertThat(run.end().path("failure_message").asText()).contains("said nothing");
  }

  @Test
  void waiting_for_an_answer_is_no_silence() {
    ManualTimers time = new ManualTimers(ManualClock.at(Clock.system().now()));
    runs.timers = time;
    runs.options.setSilenceLimit(Duration.ofSeconds(5));

    Begun asking = runs.begin(
        "read -r start; echo '{\"type\":\"INTERACTION\",\"request_id\":\"q\",\"kind\":\"otp\",\"message\":\"m\",\"timeout_seconds\":6}'; "
            + "read -r answer; echo '{\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":0}'");
    runs.signals.await("run.interaction_required");
    runs.onContext(() -> {
      time.advance(Duration.ofSeconds(6));
      return true;
    });

    assertThat(runs.finish(asking).terminal().type().value()).isEqualTo("run.completed");
  }

  @Test
  void what_takes_time_after_DONE_is_no_silence(@TempDir Path folder) throws Exception {
    ManualTimers time = new ManualTimers(ManualClock.at(Clock.system().now()));
    runs.timers = time;
    runs.options.setSilenceLimit(Duration.ofSeconds(5)).setExitTimeout(Duration.ofMinutes(1));
    Path leave = folder.resolve("leave");

    Begun slow = runs.begin(
        "read -r start; echo '{\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":0}'; "
            + "cat >/dev/null; echo going >&2; until [ -e " + leave + " ]; do sleep 0.02; done");
    await(() -> Runs.await(slow.run().stderrTail())
        .filter(tail -> tail.bytesObserved() > 0)
        .isPresent());
    runs.onContext(() -> {
      time.advance(Duration.ofSeconds(6));
      return true;
    });
    Files.createFile(leave);

    assertThat(runs.finish(slow).terminal().type().value()).isEqualTo("run.completed");
    assertThat(time.pending()).as("timers of a run that is over").isZero();
  }

  private void cancel(Begun run) {
    cancel(runs, run);
  }

  private static void cancel(Runs runs, Begun run) {
    requestCancel(runs, run);
    run.run().cancel();
  }

  private static void requestCancel(Runs runs, Begun run) {
    TimelineEvent event = new TimelineEvent(
        "evt_cancel" + run.active().generation(),
        TimelineEventType.CANCEL_REQUESTED,
        "cancel_requested",
        Clock.system().now(),
        TimelineActor.OWNER,
        null,
        null,
        null,
        null,
        Json.ofChecked("{}"));
    CancelOutcome outcome = Runs.await(runs.store
        .activeRuns()
        .requestCancel(
            new RequestCancel(run.active().run().runId(), event, Clock.system().now())));
    assertThat(outcome).isInstanceOf(CancelOutcome.Accepted.class);
  }

  private static void await(BooleanSupplier condition) {
    assertThat(Poll.until(Duration.ofMinutes(1), condition)).isTrue();
  }
}
