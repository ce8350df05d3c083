package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.done;
import static dev.runlane.runtime.Fleet.failed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.SignalReason;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.worker.WorkerOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The end of a lease by the process's own time, and what becomes of the attempt after it. */
class LeaseEndTest {
  private static final Duration LEASE = RunlaneOptions.DEFAULT_LEASE_DURATION;
  private static final Duration MOMENT = Duration.ofMillis(20);

  private final Fleet fleet = new Fleet();
  private final List<Promise<TaskResult>> handlers = new ArrayList<>();
  private final List<TaskContext> contexts = new ArrayList<>();
  private final Task<String> task =
      Task.define("task", String.class).retry(RetryPolicy.attempts(3)).handler(this::handle);
  private final Runlane other = fleet.process(task);

  private Runlane runlane;
  private String runId;
  private Future<Optional<RunRecord>> executed;

  private Future<TaskResult> handle(String payload, TaskContext context) {
    Promise<TaskResult> handler = Promise.promise();
    handlers.add(handler);
    contexts.add(context);
    return handler.future();
  }

  private void begin() {
    runlane = fleet.process(task);
    runId = done(runlane.trigger(task, "x")).run().id();
    executed = runlane.executeNext();
    assertThat(handlers).hasSize(1);
  }

  /** Without a heartbeat that is ever answered, the lease has just ended. */
  private void leaseEnds() {
    fleet.faults.hang("heartbeatRunLease");
    fleet.faults.fail("heartbeatRunLease", 1_000);
    fleet.pass(LEASE);
    assertThat(done(contexts.get(0).signal())).isEqualTo(SignalReason.LEASE_LOST);
  }

  private RunRecord run() {
    return fleet.run(other, runId);
  }

  /** A worker of one slot, whose first run's lease ends and is taken by another process; the id of the second run. */
  private String secondWaitsWhileTheFirstIsTakenOver(Task<String> of) {
    runlane = fleet.process(of);
    runId = done(runlane.trigger(of, "first")).run().id();
    done(runlane.worker(new WorkerOptions().setConcurrency(1)));
    fleet.settle();
    leaseEnds();
    other.executeNext();
    assertThat(handlers).hasSize(2);
    return done(runlane.trigger(of, "second")).run().id();
  }

  private List<String> types() {
    return fleet.types(other, runId);
  }

  @Test
  void a_heartbeat_that_hangs_does_not_delay_the_end_of_the_lease() {
    begin();
    fleet.faults.hang("heartbeatRunLease");
    fleet.faults.hang("heartbeatRunLease");
    fleet.faults.hang("heartbeatRunLease");

    fleet.pass(LEASE.minus(MOMENT));
    assertThat(contexts.get(0).isSignalled()).isFalse();
    fleet.pass(MOMENT);

    assertThat(done(contexts.get(0).signal())).isEqualTo(SignalReason.LEASE_LOST);
    assertThat(executed.isComplete()).as("nobody has taken the run over").isFalse();
  }

  @Test
  void the_first_heartbeat_comes_in_the_second_half_of_its_third_of_the_lease() {
    begin();
    Duration half = LEASE.dividedBy(6);

    fleet.pass(half.minus(MOMENT));
    assertThat(fleet.faults.calls("heartbeatRunLease")).isZero();
    fleet.pass(half.plusSeconds(2)); // it is looked at every second

    assertThat(fleet.faults.calls("heartbeatRunLease")).isEqualTo(1);
  }

  @Test
  void a_hanging_heartbeat_is_given_up_and_the_next_one_keeps_the_lease() {
    begin();
    fleet.faults.hang("heartbeatRunLease");

    fleet.pass(LEASE.multipliedBy(2));

    assertThat(contexts.get(0).isSignalled()).isFalse();
    handlers.get(0).complete(TaskResult.done());
    fleet.settle();
    assertThat(done(executed).orElseThrow().status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_heartbeat_is_given_up_after_three_tenths_of_the_lease_and_sent_again_soon() {
    begin();
    fleet.faults.hang("heartbeatRunLease");
    while (fleet.faults.calls("heartbeatRunLease") == 0) {
      fleet.pass(MOMENT);
    }

    fleet.pass(LEASE.multipliedBy(3).dividedBy(10).plusSeconds(2));
    assertThat(fleet.faults.calls("heartbeatRunLease")).isEqualTo(1);
    fleet.pass(Duration.ofSeconds(1));

    assertThat(fleet.faults.calls("heartbeatRunLease")).isEqualTo(2);
  }

  @Test
  void a_late_answer_does_not_keep_the_next_call_from_being_given_up() {
    begin();
    Promise<Void> late = fleet.faults.hold("heartbeatRunLease");
    fleet.faults.hang("heartbeatRunLease");
    while (fleet.faults.calls("heartbeatRunLease") < 2) {
      fleet.pass(MOMENT);
    }

    late.complete();
    handlers.get(0).complete(TaskResult.done());
    fleet.pass(LEASE);

    assertThat(done(executed).orElseThrow().status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_step_whose_record_finds_the_run_taken_over_tells_the_handler_at_once() {
    Promise<String> charge = Promise.promise();
    Task<String> stepped = Task.define("task", String.class).handler((payload, context) -> {
      contexts.add(context);
      return context
          .step("charge", String.class, charge::future)
          .compose(receipt -> Promise.<TaskResult>promise().future());
    });
    runlane = fleet.process(stepped);
    runId = done(runlane.trigger(stepped, "x")).run().id();
    executed = runlane.executeNext();
    fleet.settle();
    fleet.clock.advance(LEASE.plusSeconds(1)); // the process was paused
    other.executeNext();

    charge.complete("receipt");
    fleet.settle();

    assertThat(done(contexts.get(0).signal())).isEqualTo(SignalReason.LEASE_LOST);
    assertThat(failed(executed).conflictKind()).contains(StorageConflictKind.LEASE_OWNERSHIP);
  }

  @Test
  void a_heartbeat_counts_from_when_it_was_sent() {
    begin();
    Promise<Void> reply = fleet.faults.hold("heartbeatRunLease");
    while (fleet.faults.calls("heartbeatRunLease") == 0) {
      fleet.pass(MOMENT);
    }
    fleet.pass(Duration.ofSeconds(6));
    reply.complete();
    fleet.faults.fail("heartbeatRunLease", 1_000);

    fleet.pass(LEASE.minusSeconds(6).minus(MOMENT.multipliedBy(2)));
    assertThat(contexts.get(0).isSignalled()).isFalse();
    fleet.pass(MOMENT.multipliedBy(2));

    assertThat(contexts.get(0).isSignalled()).isTrue();
  }

  @Test
  void a_heartbeat_that_fails_until_the_end_of_the_lease_makes_it_end() {
    begin();
    fleet.faults.fail("heartbeatRunLease", 1_000);

    fleet.pass(LEASE.minus(MOMENT));
    assertThat(contexts.get(0).isSignalled()).isFalse();
    fleet.pass(MOMENT);

    assertThat(contexts.get(0).isSignalled()).isTrue();
  }

  @Test
  void a_handler_hears_of_it_before_another_worker_begins() {
    begin();
    fleet.faults.kill(); // for this process the storage is silent from now on
    List<Boolean> firstWasTold = new ArrayList<>();
    Task<String> noting = Task.define("task", String.class).handler((payload, context) -> {
      firstWasTold.add(contexts.get(0).isSignalled());
      return Future.succeededFuture(TaskResult.done());
    });
    done(fleet.process(noting).worker(new WorkerOptions()));

    fleet.pass(LEASE.plusSeconds(2));

    assertThat(firstWasTold).containsExactly(true);
  }

  @Test
  void what_the_handler_returns_afterwards_is_stored_as_long_as_nobody_took_the_run_over() {
    begin();
    leaseEnds();
    fleet.pass(Duration.ofMinutes(10));

    handlers.get(0).complete(TaskResult.done("late"));
    fleet.settle();

    assertThat(done(executed).orElseThrow()).isEqualTo(run());
    assertThat(run().output().text()).isEqualTo("\"late\"");
    assertThat(run().counters().attempts()).isEqualTo(1);
    assertThat(runlane.engine().leases().isEmpty()).isTrue();
  }

  @Test
  void so_is_a_release_which_is_the_handlers_own_decision() {
    begin();
    leaseEnds();

    handlers.get(0).complete(contexts.get(0).release(Duration.ofMinutes(1), "not yet"));
    fleet.settle();

    assertThat(run().status()).isEqualTo(RunStatus.RELEASED);
    assertThat(run().counters().releases()).isEqualTo(1);
  }

  @Test
  void a_failure_afterwards_is_nobodys_and_the_attempt_is_made_again() {
    begin();
    leaseEnds();

    handlers.get(0).fail(new IllegalStateException("the connection was closed by the signal"));
    fleet.settle();

    assertThat(failed(executed).conflictKind()).contains(StorageConflictKind.LEASE_OWNERSHIP);
    assertThat(types()).doesNotContain("run.retry_scheduled", "run.failed");
    other.executeNext();
    assertThat(contexts.get(1).attempt()).isEqualTo(2);
    assertThat(contexts.get(1).failures()).isZero();
  }

  @Test
  void a_failure_before_the_end_of_the_lease_is_offered_beyond_it() {
    begin();
    fleet.faults.fail("appendRunEvents", 25);
    handlers.get(0).fail(new IllegalStateException("no"));
    fleet.pass(LEASE.multipliedBy(3));

    assertThat(run().status()).isEqualTo(RunStatus.RETRYING);
    assertThat(run().counters().failures()).isEqualTo(1);
  }

  @Test
  void somebody_who_takes_the_run_over_afterwards_is_noticed() {
    begin();
    leaseEnds();

    other.executeNext();
    assertThat(executed.isComplete()).isFalse();
    fleet.pass(Duration.ofSeconds(12));

    assertThat(failed(executed).conflictKind()).contains(StorageConflictKind.LEASE_OWNERSHIP);
    handlers.get(0).complete(TaskResult.done("by the first"));
    fleet.settle();
    assertThat(types()).doesNotContain("run.succeeded");
  }

  @Test
  void a_lease_that_has_ended_is_not_extended_any_more() {
    begin();
    leaseEnds();
    long before = types().stream().filter("run.lease_heartbeat"::equals).count();

    fleet.pass(LEASE.multipliedBy(3));

    assertThat(types().stream().filter("run.lease_heartbeat"::equals).count()).isEqualTo(before);
  }

  @Test
  void a_claim_that_is_answered_after_its_lease_has_ended_begins_nothing() {
    runlane = fleet.process(task);
    runId = done(runlane.trigger(task, "x")).run().id();
    Promise<Void> reply = fleet.faults.hold("claimRuns");
    executed = runlane.executeNext();

    fleet.pass(LEASE);
    reply.complete();
    fleet.settle();

    assertThat(handlers).isEmpty();
    assertThat(failed(executed).conflictKind()).contains(StorageConflictKind.LEASE_OWNERSHIP);
    other.executeNext();
    assertThat(contexts.get(0).attempt()).isEqualTo(2);
  }

  @Test
  void a_handler_that_ignores_its_signal_keeps_its_slot_since_it_really_runs() {
    String second = secondWaitsWhileTheFirstIsTakenOver(task);
    fleet.pass(LEASE);
    assertThat(handlers).as("the slot is taken").hasSize(2);

    handlers.get(0).complete(TaskResult.done());
    fleet.pass(Duration.ofSeconds(2));

    assertThat(handlers).hasSize(3);
    assertThat(contexts.get(2).runId()).isEqualTo(second);
  }

  @Test
  void a_handler_that_asks_for_its_first_step_after_a_takeover_keeps_no_slot() {
    Task<String> stepped = Task.define("task", String.class)
        .handler((payload, context) -> handle(payload, context)
            .compose(go -> context.step("late", String.class, () -> Future.succeededFuture("x")))
            .map(TaskResult::done));
    String second = secondWaitsWhileTheFirstIsTakenOver(stepped);
    fleet.pass(LEASE);
    assertThat(handlers).as("the slot is taken").hasSize(2);

    handlers.get(0).complete(TaskResult.done());
    fleet.pass(Duration.ofSeconds(2));

    assertThat(handlers).hasSize(3);
    assertThat(contexts.get(2).runId()).isEqualTo(second);
  }

  @Test
  void its_slot_is_free_when_its_attempt_timeout_is_over() {
    Task<String> timed = Task.define("task", String.class)
        .attemptTimeout(Duration.ofMinutes(2))
        .handler(this::handle);
    String second = secondWaitsWhileTheFirstIsTakenOver(timed);

    fleet.pass(Duration.ofMinutes(2));

    assertThat(handlers).hasSize(3);
    assertThat(contexts.get(2).runId()).isEqualTo(second);
  }

  @Test
  void a_step_that_is_done_afterwards_is_recorded_once_and_its_run_succeeds() {
    Promise<String> charge = Promise.promise();
    Task<String> stepped = Task.define("task", String.class).handler((payload, context) -> {
      contexts.add(context);
      return context.step("charge", String.class, charge::future).map(TaskResult::done);
    });
    runlane = fleet.process(stepped);
    runId = done(runlane.trigger(stepped, "x")).run().id();
    executed = runlane.executeNext();
    fleet.settle();
    leaseEnds();
    Promise<Void> late = fleet.faults.hang("appendRunEvents");
    fleet.faults.before("appendRunEvents", late::complete);

    charge.complete("receipt");
    fleet.pass(LEASE);

    assertThat(done(executed).orElseThrow().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(types()).containsOnlyOnce("run.step_requested", "run.step_completed");
    assertThat(run().output().text()).isEqualTo("\"receipt\"");
  }

  @Test
  void a_step_that_fails_afterwards_is_done_again_by_whoever_takes_the_run_over() {
    List<Promise<String>> charges = new ArrayList<>();
    Task<String> stepped = Task.define("task", String.class).handler((payload, context) -> {
      contexts.add(context);
      return context
          .step("charge", String.class, () -> {
            Promise<String> charge = Promise.promise();
            charges.add(charge);
            return charge.future();
          })
          .map(TaskResult::done);
    });
    Runlane next = fleet.process(stepped);
    runlane = fleet.process(stepped);
    runId = done(runlane.trigger(stepped, "x")).run().id();
    executed = runlane.executeNext();
    fleet.settle();
    leaseEnds();

    charges.get(0).fail(new IllegalStateException("closed by the signal"));
    fleet.settle();
    assertThat(types()).doesNotContain("run.step_completed", "run.failed");
    Future<Optional<RunRecord>> again = next.executeNext();
    fleet.settle();
    charges.get(1).complete("receipt");
    fleet.settle();

    assertThat(done(again).orElseThrow().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run().counters().failures()).isZero();
  }
}
