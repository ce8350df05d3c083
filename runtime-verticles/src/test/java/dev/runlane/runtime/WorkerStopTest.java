package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.assertFails;
import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.worker.WorkerHandle;
import dev.runlane.runtime.worker.WorkerMode;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.transport.DeliveryWorker;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The end of a worker: stopped while it looks for work, or drained. */
class WorkerStopTest {
  private final Fleet fleet = new Fleet();
  private final List<Promise<TaskResult>> handlers = new ArrayList<>();
  private final Task<String> task = Task.define("task", String.class)
      .handler((payload, context) -> {
        Promise<TaskResult> handler = Promise.promise();
        handlers.add(handler);
        return context.untilSignalled(handler.future());
      });
  private final Runlane runlane = fleet.process(task);

  private String triggered() {
    return done(runlane.trigger(task, "x")).run().id();
  }

  private WorkerHandle worker(WorkerMode mode) {
    return done(runlane.worker(
        new WorkerOptions().setMode(mode).setConcurrency(2).setWorkerId("worker-1")));
  }

  private int scans() {
    return fleet.faults.calls("claimRuns");
  }

  private void assertHandedBack(String runId) {
    RunRecord run = fleet.run(runlane, runId);
    assertThat(run.status()).isEqualTo(RunStatus.QUEUED);
    assertThat(run.counters().releases()).isEqualTo(1);
    assertThat(fleet.types(runlane, runId)).endsWith("run.released", "run.delivery_requested");
    assertThat(handlers).isEmpty();
    assertThat(runlane.engine().leases().isEmpty()).isTrue();
  }

  @Test
  void runs_of_a_claim_under_way_are_handed_back_before_it_has_stopped() {
    String runId = triggered();
    Promise<Void> reply = fleet.faults.hold("claimRuns");
    WorkerHandle worker = worker(WorkerMode.POLL);
    fleet.settle();

    Future<Void> stopped = worker.stop();
    fleet.settle();
    assertThat(stopped.isComplete()).isFalse();
    reply.complete();
    fleet.settle();

    done(stopped);
    assertHandedBack(runId);
    fleet.pass(Duration.ofMinutes(2));
    assertThat(scans()).isEqualTo(1);
  }

  @Test
  void a_claim_answered_after_the_drain_timeout_is_handed_back_all_the_same() {
    String runId = triggered();
    Promise<Void> reply = fleet.faults.hold("claimRuns");
    WorkerHandle worker = worker(WorkerMode.POLL);
    fleet.settle();

    Future<Void> stopped = worker.stop();
    fleet.pass(WorkerOptions.DEFAULT_DRAIN_TIMEOUT);
    done(stopped);
    reply.complete();
    fleet.settle();

    assertHandedBack(runId);
  }

  @Test
  void a_look_for_work_that_fails_during_the_stop_is_the_last_one() {
    Promise<Void> reply = fleet.faults.hold("claimRuns");
    WorkerHandle worker = worker(WorkerMode.POLL);
    fleet.settle();

    Future<Void> stopped = worker.stop();
    reply.fail(Faults.outage());

    done(stopped);
    fleet.pass(Duration.ofMinutes(2));
    assertThat(scans()).isEqualTo(1);
  }

  @Test
  void stopping_twice_is_one_stop_and_nothing_is_claimed_afterwards() {
    WorkerHandle worker = worker(WorkerMode.POLL);
    assertThat(worker.workerId()).isEqualTo("worker-1");
    fleet.settle();

    Future<Void> first = worker.stop();

    assertThat(worker.stop()).isSameAs(first).isSameAs(worker.closed());
    done(first);
    String runId = triggered();
    fleet.pass(Duration.ofMinutes(2));
    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.QUEUED);
    assertThat(scans()).isEqualTo(1);
  }

  @Test
  void workers_that_have_stopped_are_not_kept_until_the_runtime_is_closed() {
    List<WeakReference<?>> gone = stoppedWorkers();
    fleet.pass(Duration.ofMinutes(2)); // their timers are over

    for (int tries = 0; tries < 20 && gone.stream().anyMatch(each -> each.get() != null); tries++) {
      System.gc();
    }

    assertThat(gone).allMatch(each -> each.get() == null);
  }

  private List<WeakReference<?>> stoppedWorkers() {
    WorkerHandle worker = worker(WorkerMode.POLL);
    DeliveryWorker ofDeliveries = runlane.deliveryWorker(new WorkerOptions());
    fleet.settle();
    done(worker.stop());
    done(ofDeliveries.stop());
    return List.of(new WeakReference<>(worker), new WeakReference<>(ofDeliveries));
  }

  @Test
  void a_worker_stopped_before_its_first_look_claims_nothing() {
    String runId = triggered();
    WorkerHandle worker = worker(WorkerMode.POLL);

    done(worker.stop());
    fleet.pass(Duration.ofMinutes(2));

    assertThat(scans()).isZero();
    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.QUEUED);
  }

  @Test
  void a_draining_worker_that_cannot_look_for_work_says_so_and_ends() {
    String runId = triggered();
    fleet.faults.fail("claimRuns");
    WorkerHandle worker = worker(WorkerMode.DRAIN);
    fleet.pass(Duration.ofMinutes(2));

    assertFails(ErrorCode.STORAGE_UNAVAILABLE, worker.closed());
    assertThat(scans()).isEqualTo(1);
    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.QUEUED);
    assertThat(worker.stop()).isSameAs(worker.closed());
  }

  @Test
  void a_draining_worker_with_an_attempt_under_way_outlives_an_outage() {
    String first = triggered();
    WorkerHandle worker = worker(WorkerMode.DRAIN);
    fleet.settle();
    assertThat(handlers).hasSize(1);

    fleet.faults.fail("claimRuns");
    String second = triggered(); // which makes it look again
    fleet.pass(Duration.ofMillis(20));
    assertThat(scans()).isEqualTo(2);
    assertThat(worker.closed().isComplete()).isFalse();
    fleet.pass(Duration.ofSeconds(1));
    assertThat(handlers).hasSize(2);
    handlers.forEach(handler -> handler.complete(TaskResult.done()));
    fleet.settle();

    done(worker.closed());
    assertThat(fleet.run(runlane, first).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(fleet.run(runlane, second).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_draining_worker_waits_for_its_last_attempt_and_closes_when_it_leaves_nothing_due() {
    triggered();
    WorkerHandle worker = worker(WorkerMode.DRAIN);
    fleet.settle();

    runlane.context().notifications().workAvailable("default"); // a hint about nothing
    fleet.pass(Duration.ofSeconds(5));
    assertThat(worker.closed().isComplete()).isFalse();
    handlers.get(0).complete(TaskResult.done());
    fleet.settle();

    done(worker.closed());
    int scans = scans();
    triggered();
    fleet.pass(Duration.ofMinutes(2));
    assertThat(scans()).isEqualTo(scans);
  }

  @Test
  void a_draining_worker_can_be_stopped_and_hands_back_what_gives_up() {
    String runId = triggered();
    WorkerHandle worker = worker(WorkerMode.DRAIN);
    fleet.settle();

    done(worker.stop());

    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.QUEUED);
    assertThat(fleet.types(runlane, runId)).contains("run.released");
  }
}
