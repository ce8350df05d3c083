package dev.runlane.run;

import static dev.runlane.run.SampleEvents.at;
import static dev.runlane.run.SampleEvents.cancelled;
import static dev.runlane.run.SampleEvents.claimed;
import static dev.runlane.run.SampleEvents.created;
import static dev.runlane.run.SampleEvents.createdFor;
import static dev.runlane.run.SampleEvents.delivery;
import static dev.runlane.run.SampleEvents.header;
import static dev.runlane.run.SampleEvents.heartbeat;
import static dev.runlane.run.SampleEvents.lease;
import static dev.runlane.run.SampleEvents.project;
import static dev.runlane.run.SampleEvents.started;
import static dev.runlane.run.SampleEvents.stepCompleted;
import static dev.runlane.run.SampleEvents.stepRequested;
import static dev.runlane.run.SampleEvents.succeeded;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class PreconditionsTest {
  private static final Environment STAGING = new Environment("staging");
  private static final RunRecord QUEUED = project(created(0));
  private static final RunRecord RUNNING = project(created(0), claimed(0), started(0, 1));

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE, 1L << 53, Long.MAX_VALUE})
  void a_malformed_sequence_is_refused_even_where_it_is_stale_and_the_command_empty(long sequence) {
    assertViolation(refused(QUEUED, sequence))
        .hasMessage("a sequence must be between 0 and 9007199254740991, but is " + sequence);
  }

  @Test
  void an_empty_command_is_refused_even_where_its_sequence_is_stale() {
    assertViolation(refused(QUEUED, 7))
        .hasMessage("a command must carry at least one event, but carries none");
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 2, (1L << 53) - 1})
  void a_stale_sequence_is_a_lost_race_even_where_the_event_is_impossible(long sequence) {
    assertLostRace(refused(QUEUED, sequence, created(0)))
        .hasMessage("run run_1 is at sequence 1, not " + sequence);
  }

  @Test
  void a_new_run_expected_to_exist_is_a_lost_race() {
    assertLostRace(refused(null, 1, created(0))).hasMessage("run run_1 is at sequence 0, not 1");
  }

  @Test
  void a_command_whose_last_sequence_is_too_large_is_refused() {
    RunRecord old =
        QUEUED.toBuilder().eventSequence(ContractDefaults.MAX_EVENT_SEQUENCE).build();

    assertViolation(refused(old, old.eventSequence(), cancelled(1)))
        .hasMessage("a sequence must be between 0 and 9007199254740991, but is 9007199254740992");
  }

  @Test
  void the_first_event_is_the_creation() {
    assertViolation(refused(null, 0, cancelled(1), created(0)))
        .hasMessage("run run_1: the first event must be run.created, but is run.cancelled");
  }

  @Test
  void a_run_is_created_once() {
    assertViolation(refused(null, 0, created(0), created(0)))
        .hasMessage("run run_1: run.created is valid only as the first event,"
            + " but the run is at sequence 1");
  }

  @Test
  void an_event_of_another_run_is_refused() {
    EventHeader other = EventHeader.bySystem(SampleEvents.PRODUCTION, "run_2", at(1));

    assertViolation(refused(QUEUED, 1, new RunEvent.Cancelled(other, null)))
        .hasMessage("run run_1: run.cancelled must name run run_1, but names run_2");
  }

  @Test
  void an_event_of_another_environment_is_refused() {
    EventHeader other = EventHeader.bySystem(STAGING, "run_1", at(1));

    assertViolation(refused(QUEUED, 1, new RunEvent.Cancelled(other, null)))
        .hasMessageContaining("must name environment Environment[name=production],"
            + " but names Environment[name=staging]");
  }

  @Test
  void a_delivery_to_another_environment_run_or_queue_is_refused() {
    DeliveryIntent good = delivery(1, 1);

    assertViolation(refusedDelivery(
            new DeliveryIntent(STAGING, good.runId(), good.queue(), at(1), at(1), null, null)))
        .hasMessageContaining("must name environment");
    assertViolation(refusedDelivery(new DeliveryIntent(
            good.environment(), "run_2", good.queue(), at(1), at(1), null, null)))
        .hasMessageContaining("must name run run_1, but names run_2");
    assertViolation(refusedDelivery(
            new DeliveryIntent(good.environment(), good.runId(), "sms", at(1), at(1), null, null)))
        .hasMessageContaining("must name queue emails, but names sms");
  }

  @Test
  void nothing_follows_a_terminal_status() {
    assertViolation(refused(project(created(0), cancelled(1)), 2, claimed(2)))
        .hasMessage("run run_1: run.lease_claimed needs a run that is not terminal,"
            + " but it is cancelled");
  }

  @Test
  void a_claim_before_the_due_time_is_refused_to_the_microsecond() {
    RunRecord run = project(createdFor(0, 10));
    EventHeader justBefore =
        EventHeader.bySystem(SampleEvents.PRODUCTION, "run_1", at(10).minusNanos(1000));

    assertViolation(refused(run, 1, new RunEvent.LeaseClaimed(justBefore, lease(10))))
        .hasMessage("run run_1: run.lease_claimed needs a run that is due at"
            + " 2026-01-01T12:00:09.999999Z, but it is queued and due at 2026-01-01T12:00:10Z");
    assertThat(SampleEvents.append(run, claimed(10)).status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  void a_waiting_run_without_a_due_time_is_never_due() {
    RunRecord impossible = QUEUED.toBuilder().status(RunStatus.RETRYING).build();

    assertViolation(refused(impossible, 1, claimed(5)))
        .hasMessageEndingWith("but it is retrying and due at no time");
  }

  @Test
  void a_heartbeat_of_another_worker_or_another_claim_is_refused_without_showing_a_token() {
    Lease current = lease(0);

    assertViolation(
            refused(RUNNING, 3, heartbeat(1, new Lease(current.token(), "worker_2", at(40)))))
        .hasMessageContaining("must name worker worker_1, but names worker_2");
    assertViolation(
            refused(RUNNING, 3, heartbeat(1, new Lease("tok_other", current.workerId(), at(40)))))
        .hasMessageContaining("must carry the token of the current lease of worker worker_1,"
            + " but carries another one")
        .hasMessageNotContaining("tok_");
  }

  @Test
  void a_heartbeat_on_an_expired_lease_that_nobody_took_is_accepted() {
    RunRecord run = SampleEvents.append(RUNNING, heartbeat(100, lease(0).until(at(130))));

    assertThat(run.lease()).isEqualTo(lease(0).until(at(130)));
  }

  @Test
  void a_run_that_is_running_without_a_lease_is_refused_whatever_follows() {
    RunRecord impossible = RUNNING.toBuilder().lease(null).build();

    assertViolation(refused(impossible, 3, succeeded(1, 1)))
        .hasMessageEndingWith("but it is running without a lease");
    assertViolation(refused(impossible, 3, claimed(100)))
        .hasMessageEndingWith("but it is running and due at no time");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void an_attempt_that_does_not_follow_the_last_one_cannot_start(int attempt) {
    assertViolation(refused(RUNNING, 3, started(1, attempt)))
        .hasMessage("run run_1: run.started must carry attempt 2, but carries " + attempt);
  }

  @Test
  void an_attempt_cannot_start_once_the_lease_has_expired() {
    assertViolation(refused(project(created(0), claimed(0)), 2, started(30, 1)))
        .hasMessage("run run_1: run.started needs an active lease at 2026-01-01T12:00:30Z,"
            + " but it expired at 2026-01-01T12:00:30Z");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void an_outcome_of_another_attempt_is_refused(int attempt) {
    assertViolation(refused(RUNNING, 3, succeeded(1, attempt)))
        .hasMessage("run run_1: run.succeeded must carry attempt 1, but carries " + attempt);
  }

  @Test
  void an_outcome_before_the_first_attempt_is_refused() {
    assertViolation(refused(project(created(0), claimed(0)), 2, succeeded(1, 1)))
        .hasMessage("run run_1: run.succeeded needs a started attempt, but none was started");
  }

  @Test
  void a_step_belongs_to_its_run_and_to_an_attempt() {
    RunRecord claimed = project(created(0), claimed(0));

    assertViolation(refused(claimed, 2, stepRequested(1, 0)))
        .hasMessage("run run_1: run.step_requested needs a started attempt, but none was started");
    assertViolation(refused(claimed, 2, stepCompleted(1, 0)))
        .hasMessage("run run_1: run.step_completed needs a started attempt, but none was started");
    assertViolation(refused(
            RUNNING, 3, new RunEvent.StepCompleted(header(1), "run_12:0", 1, null, null, null)))
        .hasMessage(
            "run run_1: run.step_completed must name a step of run run_1, but names run_12:0");
  }

  @Test
  void only_the_owner_of_a_run_requests_a_step() {
    RunRecord released = SampleEvents.append(RUNNING, SampleEvents.released(1, 1, 9));

    assertViolation(refused(released, 4, stepRequested(2, 0)))
        .hasMessage("run run_1: run.step_requested needs a run that is running or"
            + " cancellation_requested, but it is released");
  }

  @Test
  void one_impossible_event_refuses_the_whole_command() {
    assertViolation(refused(QUEUED, 1, claimed(1), cancelled(2)))
        .hasMessageEndingWith("but it is running");
  }

  private static RunlaneException refusedDelivery(DeliveryIntent delivery) {
    return refused(QUEUED, 1, new RunEvent.DeliveryRequested(header(1), delivery));
  }

  private static RunlaneException refused(RunRecord run, long sequence, RunEvent... events) {
    return catchThrowableOfType(
        RunlaneException.class, () -> RunReducer.projectRunEvents(run, sequence, List.of(events)));
  }

  private static AbstractThrowableAssert<?, ?> assertViolation(RunlaneException failure) {
    assertThat(failure).isNotNull();
    assertThat(failure.code()).isEqualTo(ErrorCode.INVARIANT_VIOLATION);
    assertThat(failure.isRetryable()).isFalse();
    assertThat(failure.conflictKind()).isEmpty();
    return assertThat(failure);
  }

  private static AbstractThrowableAssert<?, ?> assertLostRace(RunlaneException failure) {
    assertThat(failure).isNotNull();
    assertThat(failure.code()).isEqualTo(ErrorCode.STORAGE_CONFLICT);
    assertThat(failure.isRetryable()).isTrue();
    assertThat(failure.conflictKind()).contains(StorageConflictKind.EVENT_SEQUENCE);
    return assertThat(failure);
  }
}
