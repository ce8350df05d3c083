package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.EventHeader;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.HeartbeatRunLease;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class LeaseTest {
  private final Fleet fleet = new Fleet();
  private final Promise<TaskResult> work = Promise.promise();
  private final AtomicReference<TaskContext> context = new AtomicReference<>();
  private final Task<String> task = Task.define("slow", String.class).handler((payload, given) -> {
    context.set(given);
    return given.untilSignalled(work.future());
  });
  private final Task<String> stubborn = Task.define("stubborn", String.class)
      .handler((payload, given) -> {
        context.set(given);
        return work.future();
      });

  private Faults faults = fleet.faults;
  private Runlane runlane;

  private String start(Task<String> started) {
    return start(started, fleet.process(started));
  }

  /** In a process that no notice of a cancellation reaches. */
  private String startDeaf(Task<String> started) {
    faults = new Faults(fleet.storage)
        .cancellations((environment, listener) -> Future.succeededFuture(Future::succeededFuture));
    return start(
        started,
        fleet.process(
            faults.storage(),
            new RunlaneOptions(),
            List.of(TaskQueue.of("default").asDefault()),
            started));
  }

  private String start(Task<String> started, Runlane process) {
    runlane = process;
    String runId = done(runlane.trigger(started, "x")).run().id();
    done(runlane.worker(new WorkerOptions()));
    fleet.settle();
    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.RUNNING);
    return runId;
  }

  /** Another process asks; what the storage tells of it does not reach {@link #startDeaf}. */
  private void requestCancellationUnheard(String runId) {
    RunRecord run = fleet.run(runlane, runId);
    List<RunEvent> events = List.of(new RunEvent.CancellationRequested(
        EventHeader.bySystem(run.environment(), runId, fleet.clock.now()), "operator"));
    RunRecord projected = RunReducer.projectRunEvents(run, run.eventSequence(), events);
    done(fleet.storage.appendRunEvents(AppendRunEvents.of(projected, events, fleet.clock.now())));
  }

  @Test
  void heartbeats_keep_a_long_attempt_its_own() {
    String runId = start(task);

    fleet.pass(Duration.ofMinutes(5));
    work.complete(TaskResult.done());
    fleet.settle();

    RunRecord run = fleet.run(runlane, runId);
    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run.counters().attempts()).isEqualTo(1);
    long heartbeats = fleet.types(runlane, runId).stream()
        .filter("run.lease_heartbeat"::equals)
        .count();
    assertThat(heartbeats).isBetween(28L, 34L);
  }

  @Test
  void a_lease_outlives_a_failover_that_lost_a_heartbeat() {
    String runId = start(stubborn);
    fleet.faults.forget(
        "heartbeatRunLease",
        heartbeat ->
            new AppendedRun(((HeartbeatRunLease) heartbeat).projectedRun(), List.of(), List.of()));

    fleet.pass(Duration.ofMinutes(2));

    assertThat(context.get().attempt()).isEqualTo(1);
    assertThat(context.get().isSignalled()).isFalse();
    assertThat(fleet.faults.calls("heartbeatRunLease")).isLessThan(20);
    work.complete(TaskResult.done());
    fleet.settle();
    RunRecord run = fleet.run(runlane, runId);
    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run.counters().attempts()).isEqualTo(1);
  }

  @Test
  void a_quick_attempt_sends_no_heartbeat_and_leaves_no_timer_behind() {
    String runId = start(task);
    work.complete(TaskResult.done());

    fleet.pass(Duration.ofMinutes(1));

    assertThat(fleet.types(runlane, runId)).doesNotContain("run.lease_heartbeat");
    assertThat(runlane.engine().leases().isEmpty()).isTrue();
    done(runlane.close());
    fleet.settle();
    assertThat(fleet.timers.pending()).isZero();
  }

  @Test
  void a_cancellation_in_the_same_process_reaches_the_handler_at_once() {
    String runId = start(task);

    done(runlane.runs().cancel(runId, RunActionOptions.by("ada").setReason("wrong order")));
    fleet.settle();

    assertThat(context.get().isCancellationRequested()).isTrue();
    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(fleet.types(runlane, runId)).endsWith("run.cancellation_requested", "run.cancelled");
  }

  @Test
  void a_cancellation_of_another_process_is_pushed_by_the_storage() {
    String runId = start(task);
    Runlane other = fleet.process(task);

    done(other.runs().cancel(runId, new RunActionOptions()));
    fleet.settle();

    assertThat(fleet.run(other, runId).status()).isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  void a_cancellation_nobody_heard_of_is_found_by_the_next_heartbeat() {
    String runId = startDeaf(stubborn);
    requestCancellationUnheard(runId);
    fleet.settle();
    assertThat(context.get().isCancellationRequested()).isFalse();

    fleet.pass(Duration.ofSeconds(12));

    assertThat(context.get().isCancellationRequested()).isTrue();
    work.complete(TaskResult.done());
    fleet.settle();
    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  void a_failure_after_a_cancellation_request_is_never_retried() {
    Task<String> failing = Task.define("failing", String.class)
        .retry(RetryPolicy.attempts(9))
        .handler((payload, given) -> work.future());
    String runId = start(failing);

    done(runlane.runs().cancel(runId, new RunActionOptions()));
    work.fail(new IllegalStateException("no"));
    fleet.settle();

    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.FAILED);
  }

  @Test
  void an_outcome_that_loses_the_race_to_a_cancellation_request_becomes_one() {
    String runId = startDeaf(stubborn);
    faults.before("appendRunEvents", () -> requestCancellationUnheard(runId));

    work.complete(TaskResult.done());
    fleet.settle();

    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  void an_outcome_whose_reply_was_lost_is_not_written_twice() {
    String runId = start(stubborn);
    fleet.faults.loseReply("appendRunEvents");

    work.complete(TaskResult.done());
    fleet.pass(Duration.ofSeconds(2));

    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(fleet.types(runlane, runId)).containsOnlyOnce("run.succeeded");
    assertThat(runlane.engine().leases().isEmpty()).isTrue();
  }

  @Test
  void an_outcome_settles_no_attempt_of_somebody_else_where_a_failover_lost_the_claim() {
    List<Promise<TaskResult>> attempts = new ArrayList<>();
    Task<String> doubled = Task.define("doubled", String.class).handler((payload, given) -> {
      attempts.add(Promise.promise());
      return attempts.get(attempts.size() - 1).future();
    });
    faults = new Faults(fleet.storage).withoutBatch();
    faults.forget(
        "claimRunLease",
        claim -> Optional.of(
            new AppendedRun(((ClaimRunLease) claim).projectedRun(), List.of(), List.of())));
    runlane = fleet.process(
        faults.storage(),
        new RunlaneOptions(),
        List.of(TaskQueue.of("default").asDefault()),
        doubled);
    String runId = done(runlane.trigger(doubled, "x")).run().id();
    done(runlane.worker(new WorkerOptions().setConcurrency(1)));
    fleet.settle();
    Runlane other = fleet.process(doubled);
    other.executeNext();
    fleet.settle();
    assertThat(attempts).hasSize(2);
    RunRecord held = fleet.run(other, runId);
    assertThat(held.counters().attempts()).isEqualTo(1);

    attempts.get(0).complete(TaskResult.done("of the one whose claim was lost"));
    fleet.settle();

    assertThat(fleet.run(other, runId)).isEqualTo(held);
    attempts.get(1).complete(TaskResult.done("of the one who has it"));
    fleet.settle();
    RunRecord run = fleet.run(other, runId);
    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run.output().text()).isEqualTo("\"of the one who has it\"");
    assertThat(fleet.types(other, runId)).containsOnlyOnce("run.succeeded");
  }

  @Test
  void an_outcome_waits_for_the_heartbeat_in_flight_and_follows_it_without_a_conflict() {
    String runId = start(stubborn);
    Promise<Void> reply = fleet.faults.hold("heartbeatRunLease");
    fleet.pass(Duration.ofSeconds(12));
    assertThat(fleet.faults.calls("heartbeatRunLease")).isEqualTo(1);

    work.complete(TaskResult.done());
    fleet.settle();
    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.RUNNING);
    reply.complete();

    assertThat(fleet.types(runlane, runId)).endsWith("run.lease_heartbeat", "run.succeeded");
    assertThat(fleet.faults.calls("appendRunEvents")).as("trigger and outcome").isEqualTo(2);
  }

  @Test
  void a_heartbeat_that_waits_for_the_outcome_is_dropped() {
    String runId = start(stubborn);
    Promise<Void> reply = fleet.faults.hold("appendRunEvents");

    work.complete(TaskResult.done());
    fleet.pass(Duration.ofSeconds(25));
    reply.complete();

    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(fleet.faults.calls("heartbeatRunLease")).isZero();
  }

  @Test
  void an_outcome_is_sent_again_after_an_outage() {
    String runId = start(stubborn);
    fleet.faults.fail("appendRunEvents");
    fleet.faults.fail("getRun");

    work.complete(TaskResult.done());
    fleet.pass(Duration.ofSeconds(2));

    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void an_attempt_whose_lease_was_taken_over_writes_nothing() {
    String runId = start(stubborn);
    // The process is paused beyond its lease: its timers do not run.
    fleet.clock.advance(Duration.ofMinutes(1));
    Runlane other = fleet.process(stubborn);
    other.executeNext();

    fleet.pass(Duration.ofSeconds(15));

    assertThat(context.get().attempt()).isEqualTo(2);
    RunRecord run = fleet.run(other, runId);
    assertThat(run.status()).isEqualTo(RunStatus.RUNNING);
    assertThat(run.counters().attempts()).isEqualTo(2);
    assertThat(runlane.engine().leases().isEmpty()).isTrue();
    work.complete(TaskResult.done());
    fleet.settle();
    assertThat(fleet.types(other, runId)).containsOnlyOnce("run.succeeded");
  }

  @Test
  void leases_far_from_their_end_need_no_timer_each() {
    runlane = fleet.process(stubborn);
    for (int run = 0; run < 100; run++) {
      done(runlane.trigger(stubborn, "x"));
    }
    done(runlane.worker(new WorkerOptions().setConcurrency(100)));

    fleet.pass(Duration.ofSeconds(5));

    assertThat(runlane.engine().leases().isEmpty()).isFalse();
    assertThat(fleet.timers.pending()).isLessThan(10);
  }

  @Test
  void an_attempt_that_ends_just_before_its_lease_leaves_no_timer_behind() {
    String runId = start(stubborn);
    fleet.faults.fail("heartbeatRunLease", 1_000);
    fleet.pass(Duration.ofSeconds(29));
    work.complete(TaskResult.done());
    fleet.settle();
    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.SUCCEEDED);

    done(runlane.close());
    fleet.settle();

    assertThat(fleet.timers.pending()).isZero();
  }

  @Test
  void a_cancellation_that_a_step_loses_the_race_to_reaches_the_handler_at_once() {
    Task<String> stepped = Task.define("stepped", String.class).handler((payload, given) -> {
      context.set(given);
      return given
          .step("slow", String.class, () -> work.future().map("done"))
          .compose(done -> Promise.<TaskResult>promise().future());
    });
    String runId = startDeaf(stepped);
    faults.before("appendRunEvents", () -> requestCancellationUnheard(runId));

    work.complete(TaskResult.done());
    fleet.settle();

    assertThat(context.get().isCancellationRequested()).isTrue();
    assertThat(fleet.types(runlane, runId)).contains("run.step_completed");
    assertThat(faults.calls("heartbeatRunLease")).isZero();
  }

  @Test
  void a_late_heartbeat_on_a_lease_nobody_took_keeps_it() {
    runlane = fleet.process(stubborn);
    String runId = done(runlane.trigger(stubborn, "x")).run().id();
    Future<?> executed = runlane.executeNext();
    fleet.pass(Duration.ofSeconds(12));
    fleet.clock.advance(Duration.ofMinutes(1)); // the process was paused

    fleet.pass(Duration.ofSeconds(12));

    assertThat(context.get().isSignalled()).isFalse();
    work.complete(TaskResult.done());
    done(executed);
    assertThat(fleet.run(runlane, runId).counters().attempts()).isEqualTo(1);
    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.SUCCEEDED);
  }
}
