package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.assertFails;
import static dev.runlane.runtime.Fleet.done;
import static dev.runlane.runtime.Fleet.failed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.EventHeader;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.AppendRunEvents;
import dev.runlane.storage.HeartbeatRunLease;
import dev.runlane.storage.PruneRuns;
import dev.runlane.storage.StorageCapability;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How an attempt's outcome is stored while others write to the run, replies are lost and storage fails. */
class OutcomeTest {
  private static final Duration LEASE = RunlaneOptions.DEFAULT_LEASE_DURATION;
  private static final List<TaskQueue> QUEUES = List.of(TaskQueue.of("default").asDefault());

  private final Fleet fleet = new Fleet();
  private final List<Promise<TaskResult>> handlers = new ArrayList<>();
  private final List<TaskContext> contexts = new ArrayList<>();
  private final Task<String> task = Task.define("task", String.class)
      .handler((payload, context) -> {
        Promise<TaskResult> handler = Promise.promise();
        handlers.add(handler);
        contexts.add(context);
        return handler.future();
      });
  private final Runlane other = fleet.process(task);

  private Runlane runlane;
  private String runId;
  private Future<Optional<RunRecord>> executed;

  /** A process, whose faults are the fleet's, makes the first attempt. */
  private void begin() {
    begin(fleet.process(task));
  }

  private void begin(Runlane process) {
    runlane = process;
    runId = done(runlane.trigger(task, "x")).run().id();
    executed = runlane.executeNext();
    assertThat(handlers).hasSize(1);
  }

  /** The process is paused beyond its lease, and another one takes the run. */
  private void otherTakesOver() {
    fleet.clock.advance(LEASE.plusSeconds(1));
    other.executeNext();
    assertThat(handlers).hasSize(2);
  }

  private void endFirst(TaskResult result) {
    handlers.get(0).complete(result);
    fleet.settle();
  }

  private RunRecord run() {
    return fleet.run(other, runId);
  }

  private List<String> types() {
    return fleet.types(other, runId);
  }

  private void append(RunEvent event) {
    RunRecord run = run();
    List<RunEvent> events = List.of(event);
    RunRecord projected = RunReducer.projectRunEvents(run, run.eventSequence(), events);
    done(fleet.storage.appendRunEvents(AppendRunEvents.of(projected, events, fleet.clock.now())));
  }

  private EventHeader header() {
    return EventHeader.bySystem(run().environment(), runId, fleet.clock.now());
  }

  /** Something in the run's history that changes nothing but its sequence. */
  private void somebodyWrites() {
    RunRecord run = done(other.runs().get(runId)).orElseThrow();
    RunEvent.LeaseHeartbeat event = new RunEvent.LeaseHeartbeat(
        EventHeader.bySystem(run.environment(), runId, fleet.clock.now()), run.lease());
    RunRecord projected = RunReducer.projectRunEvents(run, run.eventSequence(), List.of(event));
    done(fleet.storage.heartbeatRunLease(new HeartbeatRunLease(
        run.environment(), runId, run.eventSequence(), event, projected, fleet.clock.now())));
  }

  private void assertAbandoned() {
    assertThat(failed(executed).conflictKind()).contains(StorageConflictKind.LEASE_OWNERSHIP);
    assertThat(runlane.engine().book().isEmpty()).isTrue();
  }

  @Test
  void an_outcome_whose_reply_was_lost_is_recognised_in_the_history_after_others_went_on() {
    begin();
    fleet.faults.loseReply("appendRunEvents");
    fleet.faults.before("getRun", () -> other.executeNext());

    endFirst(contexts.get(0).release(Duration.ZERO));
    fleet.pass(Duration.ofSeconds(1));

    RunRecord answered = done(executed).orElseThrow();
    assertThat(answered).isEqualTo(run());
    assertThat(answered.counters().attempts()).as("the other's attempt").isEqualTo(2);
    assertThat(types()).containsOnlyOnce("run.released");
    assertThat(runlane.engine().book().isEmpty()).isTrue();
    handlers.get(1).complete(TaskResult.done());
    assertThat(run().status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void without_a_readable_history_such_an_outcome_counts_as_lost() {
    Set<StorageCapability> without = EnumSet.copyOf(fleet.storage.capabilities());
    without.remove(StorageCapability.READS_RUN_HISTORY);
    Faults faults = new Faults(fleet.storage.reporting(without));
    begin(fleet.process(faults.storage(), new RunlaneOptions(), QUEUES, task));
    faults.loseReply("appendRunEvents");
    faults.before("getRun", () -> other.executeNext());

    endFirst(contexts.get(0).release(Duration.ZERO));
    fleet.pass(Duration.ofSeconds(1));

    assertAbandoned();
    assertThat(types()).containsOnlyOnce("run.released");
  }

  @Test
  void the_same_outcome_of_the_next_owner_is_not_taken_for_the_own_one() {
    begin();
    otherTakesOver();
    handlers.get(1).complete(TaskResult.done("by the other"));
    RunRecord ended = run();

    endFirst(TaskResult.done("by the first"));

    assertAbandoned();
    assertThat(run()).isEqualTo(ended);
    assertThat(ended.output().text()).isEqualTo("\"by the other\"");
  }

  @Test
  void an_outcome_is_dropped_when_the_run_was_pruned_meanwhile() {
    begin();
    RunRecord before = run();
    otherTakesOver();
    handlers.get(1).complete(TaskResult.done());
    fleet.clock.advance(Duration.ofDays(1));
    Instant now = fleet.clock.now();
    done(fleet.storage.pruneRuns(
        new PruneRuns(before.environment(), Set.of(), now, now, null, null)));

    endFirst(TaskResult.done());

    assertAbandoned();
    assertThat(done(other.runs().get(runId))).isEmpty();
  }

  @Test
  void a_hand_back_that_finds_the_run_delivered_anew_writes_nothing() {
    Task<String> polite = Task.define("polite", String.class)
        .handler((payload, context) ->
            context.untilSignalled(Promise.<TaskResult>promise().future()));
    runlane = fleet.process(polite);
    runId = done(runlane.trigger(polite, "x")).run().id();
    WorkerHandle worker = done(runlane.worker(new WorkerOptions()));
    fleet.settle();
    fleet.clock.advance(LEASE.plusSeconds(1)); // the process is paused
    fleet.faults.before("appendRunEvents", () -> {
      Instant now = fleet.clock.now();
      append(new RunEvent.DeliveryRequested(
          header(),
          new DeliveryIntent(run().environment(), runId, "default", now, now, null, null)));
    });

    done(worker.stop());

    assertThat(run().status()).isEqualTo(RunStatus.QUEUED);
    assertThat(types()).doesNotContain("run.released").endsWith("run.delivery_requested");
  }

  @Test
  void an_outcome_behind_a_heartbeat_that_finds_the_lease_lost_is_not_sent() {
    begin();
    otherTakesOver();
    Promise<Void> reply = fleet.faults.hold("heartbeatRunLease");
    fleet.pass(Duration.ofSeconds(12));
    assertThat(fleet.faults.calls("heartbeatRunLease")).isEqualTo(1);
    int appendsBefore = fleet.faults.calls("appendRunEvents");

    endFirst(TaskResult.done());
    assertThat(executed.isComplete()).isFalse();
    reply.complete();

    assertAbandoned();
    assertThat(fleet.faults.calls("appendRunEvents")).isEqualTo(appendsBefore);
    assertThat(fleet.faults.calls("releaseRunLease")).isZero();
    assertThat(run().status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  void an_outcome_that_keeps_losing_races_is_given_up_after_a_bounded_number() {
    begin();
    for (int race = 0; race < 200; race++) {
      fleet.faults.before("appendRunEvents", this::somebodyWrites);
    }
    int appendsBefore = fleet.faults.calls("appendRunEvents");

    endFirst(TaskResult.done());

    assertThat(failed(executed).conflictKind()).contains(StorageConflictKind.EVENT_SEQUENCE);
    assertThat(fleet.faults.calls("appendRunEvents") - appendsBefore).isEqualTo(100);
    assertThat(done(other.runs().get(runId)).orElseThrow().status())
        .as("left to its lease")
        .isEqualTo(RunStatus.RUNNING);
    assertThat(runlane.engine().book().isEmpty()).isTrue();
  }

  @Test
  void an_outcome_the_storage_refuses_is_not_sent_again_and_the_run_is_left_to_its_lease() {
    begin();
    fleet.faults.fail(
        "appendRunEvents", RunlaneException.adapterContractViolation("broken by this test"));
    int appendsBefore = fleet.faults.calls("appendRunEvents");

    endFirst(TaskResult.done());

    assertFails(ErrorCode.ADAPTER_CONTRACT_VIOLATION, executed);
    assertThat(fleet.faults.calls("appendRunEvents") - appendsBefore).isEqualTo(1);
    otherTakesOver();
    handlers.get(1).complete(TaskResult.done());
    assertThat(run().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run().counters().attempts()).isEqualTo(2);
  }

  @Test
  void an_outcome_that_cannot_be_stored_before_its_lease_ends_is_given_up() {
    begin();
    fleet.faults.fail("appendRunEvents", 1_000);

    endFirst(TaskResult.done());
    fleet.pass(LEASE.minusSeconds(3));
    assertThat(executed.isComplete()).isFalse();
    fleet.pass(Duration.ofSeconds(6));

    assertFails(ErrorCode.STORAGE_UNAVAILABLE, executed);
    assertThat(runlane.engine().book().isEmpty()).isTrue();
    int sent = fleet.faults.calls("appendRunEvents");
    fleet.pass(Duration.ofMinutes(1));
    assertThat(fleet.faults.calls("appendRunEvents")).isEqualTo(sent);
  }

  @Test
  void an_outcome_whose_run_cannot_be_read_before_its_lease_ends_is_given_up() {
    begin();
    fleet.faults.fail("appendRunEvents");
    fleet.faults.fail("getRun", 1_000);

    endFirst(TaskResult.done());
    fleet.pass(LEASE.plusSeconds(3));

    assertFails(ErrorCode.STORAGE_UNAVAILABLE, executed);
    assertThat(types()).doesNotContain("run.succeeded");
    int reads = fleet.faults.calls("getRun");
    fleet.pass(Duration.ofMinutes(1));
    assertThat(fleet.faults.calls("getRun")).isEqualTo(reads);
  }

  @Test
  void a_read_the_storage_refuses_after_an_outage_ends_the_attempt_without_another_try() {
    begin();
    fleet.faults.fail("appendRunEvents");
    fleet.faults.fail("getRun", RunlaneException.adapterContractViolation("broken by this test"));

    endFirst(TaskResult.done());
    fleet.pass(Duration.ofSeconds(1));

    assertFails(ErrorCode.ADAPTER_CONTRACT_VIOLATION, executed);
    assertThat(fleet.faults.calls("getRun")).isEqualTo(1);
  }

  @Test
  void an_outcome_stands_when_its_lease_could_not_be_released() {
    begin();
    fleet.faults.fail("releaseRunLease");

    endFirst(TaskResult.done());

    assertThat(done(executed).orElseThrow().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(fleet.faults.calls("releaseRunLease")).isEqualTo(1);
    assertThat(run().status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void an_outcome_under_way_when_the_drain_timeout_is_over_is_still_stored() {
    runlane = fleet.process(task);
    runId = done(runlane.trigger(task, "x")).run().id();
    WorkerHandle worker =
        done(runlane.worker(new WorkerOptions().setDrainTimeout(Duration.ofSeconds(3))));
    fleet.settle();
    fleet.faults.fail("appendRunEvents", 3);
    endFirst(TaskResult.done());
    Promise<Void> read = fleet.faults.hold("getRun");
    fleet.pass(Duration.ofSeconds(1));
    assertThat(fleet.faults.calls("getRun")).isPositive();

    Future<Void> stopped = worker.stop();
    fleet.pass(Duration.ofSeconds(3));
    done(stopped);
    assertThat(run().status()).isEqualTo(RunStatus.RUNNING);
    read.complete();
    fleet.pass(Duration.ofSeconds(5));

    assertThat(run().status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_cancellation_heard_while_the_outcome_is_sent_costs_no_read_of_its_own() {
    begin();
    fleet.faults.before(
        "appendRunEvents", () -> done(other.runs().cancel(runId, new RunActionOptions())));

    endFirst(TaskResult.done());

    assertThat(done(executed).orElseThrow().status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(fleet.faults.calls("getRun")).as("after the lost race").isEqualTo(1);
    assertThat(contexts.get(0).isSignalled()).as("its handler was done").isFalse();
  }

  @Test
  void a_cancellation_that_was_heard_but_could_not_be_read_is_found_by_the_next_heartbeat() {
    begin();
    fleet.faults.fail("getRun");

    done(other.runs().cancel(runId, new RunActionOptions()));
    fleet.settle();
    assertThat(contexts.get(0).isCancellationRequested()).isFalse();
    fleet.pass(Duration.ofSeconds(12));

    assertThat(contexts.get(0).isCancellationRequested()).isTrue();
    endFirst(TaskResult.done());
    assertThat(run().status()).isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  void a_cancellation_makes_its_own_run_be_read_and_no_other() {
    begin();
    String otherRunId = done(runlane.trigger(task, "y")).run().id();
    runlane.executeNext();
    assertThat(handlers).hasSize(2);

    done(other.runs().cancel(otherRunId, new RunActionOptions()));

    assertThat(contexts.get(1).isCancellationRequested()).isTrue();
    assertThat(contexts.get(0).isSignalled()).isFalse();
    assertThat(fleet.faults.calls("getRun")).isEqualTo(1);
  }

  @Test
  void heartbeats_that_find_the_run_changed_but_cannot_read_it_until_the_lease_ends_lose_it() {
    begin();
    somebodyWrites();
    fleet.faults.fail("getRun", 1_000);

    fleet.pass(LEASE.minusSeconds(1));
    assertThat(contexts.get(0).isSignalled()).isFalse();
    fleet.pass(Duration.ofSeconds(4));

    assertThat(done(contexts.get(0).signal())).isEqualTo(SignalReason.LEASE_LOST);
    assertAbandoned();
    endFirst(TaskResult.done());
    assertThat(types()).endsWith("run.lease_heartbeat");
  }
}
