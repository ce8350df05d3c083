package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.assertFails;
import static dev.runlane.runtime.Fleet.done;
import static dev.runlane.runtime.Fleet.failed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimedRuns;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How a process takes runs while others do, and while storage fails. */
class ClaimTest {
  private static final List<TaskQueue> QUEUES =
      List.of(TaskQueue.of("default").asDefault(), TaskQueue.of("other"));

  private final Fleet fleet = new Fleet();
  private final List<Promise<TaskResult>> handlers = new ArrayList<>();
  private final Task<String> task = Task.define("task", String.class)
      .handler((payload, context) -> {
        Promise<TaskResult> handler = Promise.promise();
        handlers.add(handler);
        return handler.future();
      });
  private final Runlane other = fleet.process(new RunlaneOptions(), QUEUES, task);
  private final Faults plain = new Faults(fleet.storage).withoutBatch();

  /** A process whose storage claims one run a command. */
  private Runlane withoutBatch() {
    return fleet.process(plain.storage(), new RunlaneOptions(), QUEUES, task);
  }

  private String triggered() {
    return done(other.trigger(task, "x")).run().id();
  }

  private RunStatus statusOf(String runId) {
    return fleet.run(other, runId).status();
  }

  @Test
  void a_run_taken_by_another_between_the_list_and_the_read_is_passed_over() {
    Runlane runlane = withoutBatch();
    String runId = triggered();
    plain.before("getRuns", () -> other.executeNext());

    assertThat(done(runlane.executeNext())).isEmpty();

    assertThat(plain.calls("claimRunLease")).isZero();
    assertThat(fleet.run(other, runId).counters().attempts()).isEqualTo(1);
  }

  @Test
  void a_run_taken_by_another_between_the_read_and_the_claim_is_the_others() {
    Runlane runlane = withoutBatch();
    String runId = triggered();
    plain.before("claimRunLease", () -> other.executeNext());

    assertThat(done(runlane.executeNext())).isEmpty();

    assertThat(handlers).hasSize(1);
    assertThat(fleet.run(other, runId).counters().attempts()).isEqualTo(1);
  }

  @Test
  void one_of_several_due_runs_is_claimed_when_there_is_one_slot() {
    Runlane runlane = withoutBatch();
    List<String> runs = List.of(triggered(), triggered(), triggered());

    Future<Optional<RunRecord>> executed = runlane.executeNext();

    assertThat(plain.calls("claimRunLease")).isEqualTo(1);
    assertThat(runs).filteredOn(run -> statusOf(run) == RunStatus.RUNNING).hasSize(1);
    handlers.get(0).complete(TaskResult.done());
    assertThat(done(executed)).isPresent();
  }

  @Test
  void a_claim_fails_when_not_a_single_run_could_be_claimed() {
    Runlane runlane = withoutBatch();
    String runId = triggered();
    plain.fail("claimRunLease");

    assertFails(ErrorCode.STORAGE_UNAVAILABLE, runlane.executeNext());

    assertThat(statusOf(runId)).isEqualTo(RunStatus.QUEUED);
  }

  @Test
  void a_list_or_read_of_candidates_that_fails_fails_the_claim() {
    Runlane runlane = withoutBatch();
    triggered();
    plain.fail("listRunnableRuns");
    plain.fail("getRuns", RunlaneException.adapterContractViolation("broken by this test"));

    assertFails(ErrorCode.STORAGE_UNAVAILABLE, runlane.executeNext());
    assertFails(ErrorCode.ADAPTER_CONTRACT_VIOLATION, runlane.executeNext());
    assertThat(handlers).isEmpty();
  }

  @Test
  void a_run_nobody_here_can_work_on_does_not_keep_the_others_of_its_claim_waiting() {
    Task<String> foreign = Task.define("foreign", String.class)
        .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));
    Runlane producer = fleet.process(new RunlaneOptions(), QUEUES, task, foreign);
    TriggerResult unknown = done(producer.trigger(foreign, "x"));
    done(producer.trigger(task, "x"));
    Runlane runlane = fleet.process(
        new Intrusion(fleet.storage, "foreign").storage(), new RunlaneOptions(), QUEUES, task);
    done(runlane.worker(new WorkerOptions()));

    fleet.settle();
    assertThat(handlers).hasSize(1);
    done(producer.trigger(task, "y"));
    fleet.settle();

    assertThat(handlers).as("the worker goes on").hasSize(2);
    assertThat(fleet.run(producer, unknown.run().id()).status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  void a_run_that_was_not_named_is_left_alone_and_the_one_that_was_is_run() {
    RunRecord unnamed = done(other.trigger(task, "x")).run();
    RunRecord named = done(other.trigger(task, "y")).run();
    Runlane runlane = fleet.process(
        new Intrusion(fleet.storage, "foreign").storage(), new RunlaneOptions(), QUEUES, task);

    runlane.executeDelivery(Fleet.wakeup(named));
    fleet.settle();

    assertThat(handlers).as("that of the named run").hasSize(1);
    assertThat(fleet.run(other, named.id()).status()).isEqualTo(RunStatus.RUNNING);
    assertThat(fleet.run(other, unnamed.id()).lease()).as("left to its end").isNotNull();
  }

  @Test
  void a_run_that_was_claimed_without_a_lease_keeps_neither_a_slot_nor_its_neighbours() {
    ScriptedStorage storage = new ScriptedStorage(fleet.storage).withoutBatch();
    Runlane runlane = fleet.process(storage.adapter(), new RunlaneOptions(), QUEUES, task);
    RunRecord first = done(other.trigger(task, "x")).run();
    triggered();
    storage.next(
        "claimRunLease",
        real -> () ->
            Future.succeededFuture(Optional.of(new AppendedRun(first, List.of(), List.of()))));
    done(runlane.worker(new WorkerOptions().setConcurrency(2)));

    fleet.settle();
    assertThat(handlers).as("its neighbour's").isNotEmpty();
    triggered();
    fleet.pass(Duration.ofMinutes(1));

    assertThat(handlers).as("the slot is free").hasSize(2);
  }

  @Test
  void a_run_that_the_storage_answers_twice_is_run_once() {
    ScriptedStorage storage = new ScriptedStorage(fleet.storage);
    Runlane runlane = fleet.process(storage.adapter(), new RunlaneOptions(), QUEUES, task);
    RunRecord run = done(other.trigger(task, "x")).run();
    storage.next(
        "claimRuns",
        real -> () -> real.get().map(answer -> {
          List<ClaimedRuns.Claimed> once = ((ClaimedRuns) answer).runs();
          return new ClaimedRuns(List.of(once.get(0), once.get(0)), false);
        }));

    runlane.executeDelivery(Fleet.wakeup(run));
    fleet.settle();

    assertThat(handlers).hasSize(1);
  }

  @Test
  void a_worker_that_finds_due_runs_locked_by_others_looks_again_in_a_moment() {
    ScriptedStorage storage = new ScriptedStorage(fleet.storage);
    Runlane runlane = fleet.process(storage.adapter(), new RunlaneOptions(), QUEUES, task);
    triggered();
    storage.next(
        "claimRuns", real -> () -> Future.succeededFuture(new ClaimedRuns(List.of(), true)));
    done(runlane.worker(new WorkerOptions()));

    fleet.pass(Duration.ofMillis(4));
    assertThat(handlers).isEmpty();
    assertThat(storage.calls("claimRuns")).isEqualTo(1);
    fleet.pass(Duration.ofMillis(2));

    assertThat(handlers).hasSize(1);
  }

  @Test
  void a_worker_looks_neither_for_hints_nor_for_waiting_runs_of_queues_that_are_not_its_own() {
    Runlane runlane = fleet.process(new RunlaneOptions(), QUEUES, task);
    done(runlane.worker(new WorkerOptions().setQueues(List.of("other"))));
    fleet.settle();
    assertThat(fleet.faults.calls("claimRuns")).isEqualTo(1);

    done(runlane.trigger(task, "x"));
    done(runlane.trigger(task, "x", new TriggerOptions().setDelay(Duration.ofSeconds(2))));
    fleet.pass(Duration.ofSeconds(5));

    assertThat(fleet.faults.calls("claimRuns")).isEqualTo(1);
  }

  @Test
  void where_no_transport_wakes_the_process_its_worker_looks_every_second() {
    Runlane deaf = Runlane.builder(
            RuntimeHost.singleThread(fleet.timers),
            Lanes.create(fleet.storage, new ScriptedTransport()))
        .clock(fleet.clock)
        .randomness(fleet.randomness)
        .queues(QUEUES)
        .tasks(List.of(task))
        .build();
    done(deaf.start());
    done(deaf.worker(new WorkerOptions()));
    fleet.settle();
    triggered();

    fleet.pass(Duration.ofMillis(900));
    assertThat(handlers).isEmpty();
    fleet.pass(Duration.ofMillis(200));

    assertThat(handlers).hasSize(1);
  }

  @Test
  void a_run_executed_now_whose_lease_is_lost_is_a_conflict_of_its_owner() {
    Runlane runlane = fleet.process(new RunlaneOptions(), QUEUES, task);
    Future<TriggerResult> running = runlane.runNow(task, "x");
    fleet.clock.advance(Duration.ofMinutes(1));
    other.executeNext();

    fleet.pass(Duration.ofSeconds(15));

    assertThat(failed(running).conflictKind()).contains(StorageConflictKind.LEASE_OWNERSHIP);
  }
}
