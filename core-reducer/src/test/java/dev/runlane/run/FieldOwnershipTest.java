package dev.runlane.run;

import static dev.runlane.run.SampleEvents.FAILURE;
import static dev.runlane.run.SampleEvents.PAYLOAD;
import static dev.runlane.run.SampleEvents.PRODUCTION;
import static dev.runlane.run.SampleEvents.append;
import static dev.runlane.run.SampleEvents.at;
import static dev.runlane.run.SampleEvents.cancellationRequested;
import static dev.runlane.run.SampleEvents.cancelled;
import static dev.runlane.run.SampleEvents.claimed;
import static dev.runlane.run.SampleEvents.created;
import static dev.runlane.run.SampleEvents.createdFor;
import static dev.runlane.run.SampleEvents.delivery;
import static dev.runlane.run.SampleEvents.deliveryRequested;
import static dev.runlane.run.SampleEvents.dispatchReserved;
import static dev.runlane.run.SampleEvents.failed;
import static dev.runlane.run.SampleEvents.header;
import static dev.runlane.run.SampleEvents.heartbeat;
import static dev.runlane.run.SampleEvents.lease;
import static dev.runlane.run.SampleEvents.project;
import static dev.runlane.run.SampleEvents.released;
import static dev.runlane.run.SampleEvents.releasedToAwaitSteps;
import static dev.runlane.run.SampleEvents.retryScheduled;
import static dev.runlane.run.SampleEvents.started;
import static dev.runlane.run.SampleEvents.stepCompleted;
import static dev.runlane.run.SampleEvents.stepRequested;
import static dev.runlane.run.SampleEvents.succeeded;
import static dev.runlane.run.SampleEvents.trace;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Who may change which field of the record. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class FieldOwnershipTest {
  private static final Json META = Json.ofChecked("{\"tenant\":\"t1\"}");

  /** Running, in its first attempt since second 0, with a lease until second 30. */
  private static final RunRecord RUNNING = project(created(0), claimed(0), started(0, 1));

  /** Running again after a failure, claimed at second 10 and not yet started. */
  private static final RunRecord RECLAIMED = append(RUNNING, retryScheduled(5, 1, 10), claimed(10));

  static Stream<RunEvent> outcomes() {
    return Stream.of(
        succeeded(12, 2), failed(12, 2), retryScheduled(12, 2, 20), released(12, 2, 20));
  }

  @Test
  void a_creation_copies_what_it_says_and_nothing_has_happened() {
    RunKeys keys = RunKeys.NONE
        .withConcurrencyKey("tenant_1")
        .withIdempotencyKey("order_1", IdempotencyTtl.ACTIVE)
        .withSingletonKey("mailer");
    RunSource source = RunSource.schedule("nightly", "occ_1", at(-5));

    RunRecord run = project(new RunEvent.Created(
        header(0).withTrace(trace("t0")).withMeta(META),
        "emails.send",
        "emails",
        PAYLOAD,
        at(9),
        keys,
        source));

    assertThat(run)
        .isEqualTo(new RunRecord(
            "run_1",
            PRODUCTION,
            "emails.send",
            "emails",
            PAYLOAD,
            RunStatus.QUEUED,
            1,
            RunCounters.ZERO,
            at(9),
            keys,
            source,
            trace("t0"),
            META,
            null,
            null,
            null,
            null,
            null,
            at(0),
            at(0),
            null,
            null));
  }

  @Test
  void the_sequence_is_that_of_the_commands_last_event() {
    assertThat(RUNNING.eventSequence()).isEqualTo(3);
    assertThat(append(RUNNING, heartbeat(1, lease(0)), succeeded(2, 1)).eventSequence())
        .isEqualTo(5);
  }

  @Test
  void each_counter_counts_its_own_events_only() {
    RunRecord run = append(
        RUNNING,
        retryScheduled(1, 1, 2),
        claimed(2),
        started(2, 2),
        released(3, 2, 4),
        claimed(4),
        started(4, 3),
        heartbeat(5, lease(4)),
        retryScheduled(6, 3, 7),
        deliveryRequested(7, 7),
        claimed(8),
        started(8, 4));

    assertThat(run.counters()).isEqualTo(new RunCounters(4, 2, 2, 1));
    assertThat(append(run, failed(9, 4)).counters()).isEqualTo(new RunCounters(4, 3, 2, 1));
    assertThat(append(run, succeeded(9, 4)).counters()).isEqualTo(run.counters());
    assertThat(append(run, cancellationRequested(9), cancelled(10)).counters())
        .isEqualTo(run.counters());
  }

  @Test
  void run_at_comes_from_creation_delivery_retry_and_release() {
    RunRecord created = project(createdFor(0, 3));
    RunRecord delivered = append(created, deliveryRequested(1, 4));
    RunRecord started = append(delivered, claimed(4), started(4, 1));

    assertThat(created.runAt()).isEqualTo(at(3));
    assertThat(delivered.runAt()).isEqualTo(at(4));
    assertThat(started.runAt()).isEqualTo(at(4));
    assertThat(append(started, retryScheduled(5, 1, 50)).runAt()).isEqualTo(at(50));
    assertThat(append(started, released(5, 1, 60)).runAt()).isEqualTo(at(60));
    assertThat(append(started, cancellationRequested(5), cancelled(6)).runAt()).isEqualTo(at(4));
    assertThat(project(created(0)).runAt()).isNull();
  }

  @Test
  void steps_change_nothing_but_sequence_and_time() {
    RunRecord waiting = append(RUNNING, retryScheduled(5, 1, 50));
    RunRecord stepped = append(RUNNING, stepRequested(1, 0), stepCompleted(2, 0));

    assertThat(stepped)
        .isEqualTo(RUNNING.toBuilder().eventSequence(5).updatedAt(at(2)).build());
    assertThat(append(waiting, stepCompleted(6, 0)))
        .isEqualTo(waiting.toBuilder().eventSequence(5).updatedAt(at(6)).build());
  }

  @Test
  void a_result_makes_a_run_due_that_was_released_to_await_steps_and_no_other() {
    RunRecord awaiting = append(RUNNING, stepRequested(1, 0), releasedToAwaitSteps(2, 1, 500));
    RunRecord plain = append(RUNNING, stepRequested(1, 0), released(2, 1, 500));

    assertThat(awaiting.runAt()).isEqualTo(at(500));
    assertThat(append(awaiting, stepCompleted(9, 0)).runAt()).isEqualTo(at(9));
    assertThat(append(awaiting, stepCompleted(9, 0)).status()).isEqualTo(RunStatus.RELEASED);
    assertThat(append(awaiting, stepCompleted(9, 0), stepCompleted(10, 1)).runAt())
        .isEqualTo(at(10));
    assertThat(append(plain, stepCompleted(9, 0)).runAt()).isEqualTo(at(500));
    assertThat(append(awaiting, stepCompleted(9, 0), claimed(9), stepCompleted(10, 1))
            .runAt())
        .isEqualTo(at(9));
  }

  @Test
  void only_a_release_to_await_steps_says_so_and_whatever_ends_the_wait_clears_it() {
    RunRecord awaiting = append(RUNNING, releasedToAwaitSteps(2, 1, 10));

    assertThat(RUNNING.awaiting()).isNull();
    assertThat(append(RUNNING, released(2, 1, 10)).awaiting()).isNull();
    assertThat(awaiting.awaiting()).isEqualTo(Awaiting.STEPS);
    assertThat(append(awaiting, stepCompleted(9, 0)).awaiting()).isEqualTo(Awaiting.STEPS);
    assertThat(append(awaiting, claimed(10)).awaiting()).isNull();
    assertThat(append(awaiting, deliveryRequested(10, 10)).awaiting()).isNull();
    assertThat(append(awaiting, deliveryRequested(10, 20)).awaiting()).isNull();
    assertThat(append(awaiting, cancelled(9)).awaiting()).isNull();
    assertThat(
            append(awaiting, claimed(10), started(10, 2), released(11, 2, 20)).awaiting())
        .isNull();
  }

  @Test
  void started_at_is_the_latest_attempts() {
    assertThat(project(created(0), claimed(0)).startedAt()).isNull();
    assertThat(RUNNING.startedAt()).isEqualTo(at(0));
    assertThat(RECLAIMED.startedAt()).isEqualTo(at(0));
    assertThat(append(RECLAIMED, started(11, 2)).startedAt()).isEqualTo(at(11));
  }

  @Test
  void only_a_terminal_event_sets_finished_at() {
    assertThat(append(RUNNING, succeeded(5, 1)).finishedAt()).isEqualTo(at(5));
    assertThat(append(RUNNING, failed(5, 1)).finishedAt()).isEqualTo(at(5));
    assertThat(append(RUNNING, cancellationRequested(5), cancelled(6)).finishedAt())
        .isEqualTo(at(6));
    assertThat(append(RUNNING, cancellationRequested(5)).finishedAt()).isNull();
    assertThat(append(RUNNING, retryScheduled(5, 1, 9)).finishedAt()).isNull();
    assertThat(append(RUNNING, released(5, 1, 9)).finishedAt()).isNull();
  }

  @Test
  void failures_and_retries_store_the_failure() {
    assertThat(append(RUNNING, failed(5, 1)).failure()).isEqualTo(FAILURE);
    assertThat(append(RUNNING, retryScheduled(5, 1, 9)).failure()).isEqualTo(FAILURE);
  }

  @Test
  void a_start_a_success_and_a_cancellation_clear_the_failure_and_a_claim_does_not() {
    RunRecord waiting = append(RUNNING, retryScheduled(5, 1, 10));

    assertThat(RECLAIMED.failure()).isEqualTo(FAILURE);
    assertThat(append(RECLAIMED, heartbeat(11, lease(10))).failure()).isEqualTo(FAILURE);
    assertThat(append(RECLAIMED, released(11, 1, 20)).failure()).isEqualTo(FAILURE);
    assertThat(append(waiting, deliveryRequested(10, 10)).failure()).isEqualTo(FAILURE);
    assertThat(append(RECLAIMED, started(11, 2)).failure()).isNull();
    assertThat(append(RECLAIMED, succeeded(11, 1)).failure()).isNull();
    assertThat(append(waiting, cancelled(6)).failure()).isNull();
    assertThat(append(RECLAIMED, cancellationRequested(11)).failure()).isEqualTo(FAILURE);
  }

  @Test
  void claim_and_heartbeat_set_the_lease_and_a_cancellation_request_keeps_it() {
    Lease renewed = lease(0).until(at(45));

    assertThat(RUNNING.lease()).isEqualTo(lease(0));
    assertThat(append(RUNNING, heartbeat(15, renewed)).lease()).isEqualTo(renewed);
    assertThat(append(RUNNING, cancellationRequested(5), heartbeat(15, renewed)).lease())
        .isEqualTo(renewed);
    assertThat(append(RUNNING, claimed(30)).lease()).isEqualTo(lease(30));
  }

  @ParameterizedTest
  @MethodSource("outcomes")
  void every_outcome_clears_lease_and_reservation(RunEvent outcome) {
    RunRecord run = reserved(append(RECLAIMED, started(11, 2)));

    assertThat(append(run, outcome).lease()).isNull();
    assertThat(append(run, outcome).reservation()).isNull();
    assertThat(append(run, cancellationRequested(12), outcome).lease()).isNull();
  }

  @Test
  void delivery_recovery_and_cancellation_clear_the_lease() {
    assertThat(append(RUNNING, deliveryRequested(30, 30)).lease()).isNull();
    assertThat(append(RUNNING, cancellationRequested(5), cancelled(6)).lease()).isNull();
  }

  @Test
  void a_bounded_delivery_request_reserves_from_its_occurrence_to_the_given_end() {
    RunRecord run = project(created(0), dispatchReserved(3, 63));

    assertThat(run.reservation()).isEqualTo(new DispatchReservation(at(3), at(63)));
    assertThat(append(run, dispatchReserved(70, 130)).reservation())
        .isEqualTo(new DispatchReservation(at(70), at(130)));
  }

  @Test
  void an_unbounded_delivery_request_a_claim_and_a_cancellation_clear_the_reservation() {
    RunRecord run = project(created(0), dispatchReserved(3, 63));

    assertThat(append(run, deliveryRequested(4, 4)).reservation()).isNull();
    assertThat(append(run, claimed(4)).reservation()).isNull();
    assertThat(append(run, cancelled(4)).reservation()).isNull();
  }

  @Test
  void heartbeats_starts_and_cancellation_requests_leave_the_reservation_alone() {
    RunRecord run = reserved(RUNNING);

    assertThat(append(run, heartbeat(5, lease(0)), cancellationRequested(6)).reservation())
        .isEqualTo(run.reservation());
    assertThat(append(run, started(5, 2)).reservation()).isEqualTo(run.reservation());
  }

  @Test
  void the_source_and_the_keys_are_never_rewritten() {
    RunRecord run = project(
        new RunEvent.Created(
            header(0),
            "emails.send",
            "emails",
            PAYLOAD,
            null,
            RunKeys.NONE.withSingletonKey("mailer"),
            RunSource.rerun("run_0")),
        claimed(0),
        started(0, 1),
        succeeded(1, 1));

    assertThat(run.source()).isEqualTo(RunSource.rerun("run_0"));
    assertThat(run.keys()).isEqualTo(RunKeys.NONE.withSingletonKey("mailer"));
  }

  @Test
  void a_delivery_refreshes_the_trace_from_itself_else_its_event_else_the_run() {
    RunRecord run = project(created(header(0).withTrace(trace("run")), null));

    assertThat(deliveredWith(run, trace("delivery"), trace("event"))).isEqualTo(trace("delivery"));
    assertThat(deliveredWith(run, null, trace("event"))).isEqualTo(trace("event"));
    assertThat(deliveredWith(run, null, null)).isEqualTo(trace("run"));
    assertThat(deliveredWith(project(created(0)), null, null)).isNull();
  }

  @Test
  void no_other_event_touches_trace_or_meta() {
    RunRecord run =
        project(created(header(0).withTrace(trace("run")).withMeta(META), null), claimed(0));
    EventHeader other =
        header(1).withTrace(trace("other")).withMeta(Json.ofChecked("{\"other\":1}"));

    RunRecord after =
        append(run, new RunEvent.Started(other, 1), new RunEvent.Succeeded(other, 1, null));

    assertThat(after.traceCarrier()).isEqualTo(trace("run"));
    assertThat(after.meta()).isEqualTo(META);
  }

  @Test
  void a_delivery_leaves_the_meta_alone() {
    RunRecord run = project(created(header(0).withMeta(META), null));
    EventHeader other = header(1).withMeta(Json.ofChecked("{\"other\":1}"));

    assertThat(
            append(run, new RunEvent.DeliveryRequested(other, delivery(1, 1))).meta())
        .isEqualTo(META);
  }

  @Test
  void only_a_success_sets_the_output() {
    Json output = Json.ofChecked("42");

    assertThat(append(RUNNING, new RunEvent.Succeeded(header(1), 1, output)).output())
        .isEqualTo(output);
    assertThat(append(RUNNING, succeeded(1, 1)).output()).isNull();
    assertThat(append(RUNNING, failed(1, 1)).output()).isNull();
    assertThat(append(RUNNING, released(1, 1, 2)).output()).isNull();
  }

  @Test
  void updated_at_moves_with_every_event_and_created_at_never() {
    List<RunEvent> events = List.of(
        deliveryRequested(1, 1),
        claimed(2),
        started(3, 1),
        heartbeat(4, lease(2)),
        cancellationRequested(5),
        cancelled(6));

    RunRecord run = project(created(0));
    for (RunEvent event : events) {
      run = append(run, event);
      assertThat(run.updatedAt()).isEqualTo(event.header().occurredAt());
      assertThat(run.createdAt()).isEqualTo(at(0));
    }
  }

  private static RunRecord reserved(RunRecord run) {
    return run.toBuilder().reservation(new DispatchReservation(at(0), at(60))).build();
  }

  private static Map<String, String> deliveredWith(
      RunRecord run, Map<String, String> deliveryTrace, Map<String, String> eventTrace) {
    DeliveryIntent good = delivery(1, 1);
    DeliveryIntent traced = new DeliveryIntent(
        good.environment(), good.runId(), good.queue(), at(1), at(1), null, deliveryTrace);
    return append(run, new RunEvent.DeliveryRequested(header(1).withTrace(eventTrace), traced))
        .traceCarrier();
  }
}
