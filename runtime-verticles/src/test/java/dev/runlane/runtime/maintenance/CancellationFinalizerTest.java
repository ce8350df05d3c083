package dev.runlane.runtime.maintenance;

import static dev.runlane.runtime.MaintenanceFleet.BOUNDED;
import static dev.runlane.runtime.MaintenanceFleet.QUEUE;
import static dev.runlane.runtime.MaintenanceFleet.await;
import static dev.runlane.runtime.MaintenanceFleet.failure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.Lease;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.MaintenanceFleet;
import dev.runlane.runtime.ScriptedStorage;
import dev.runlane.runtime.process.RunAppends;
import dev.runlane.runtime.sweep.PhaseCount;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.run.HeartbeatRunLease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class CancellationFinalizerTest {
  private final MaintenanceFleet fleet = new MaintenanceFleet();
  private final MaintenanceFleet.Process process = fleet.process();
  private final CancellationFinalizer finalizer =
      new CancellationFinalizer(process.context(), new CancellationFinalizerOptions());

  @Test
  void a_run_asked_to_cancel_is_cancelled_once_its_lease_has_ended_and_nobody_is_woken() {
    cancellationRequested("run_1", QUEUE);
    fleet.claimOutbox();

    fleet.advance(Duration.ofMillis(29_999));
    assertThat(await(finalizer.sweep())).isEqualTo(PhaseCount.NOTHING);
    fleet.advance(Duration.ofMillis(1));
    assertThat(await(finalizer.sweep())).isEqualTo(new PhaseCount(1, false));
    assertThat(await(finalizer.sweep())).isEqualTo(PhaseCount.NOTHING);

    RunRecord run = fleet.run("run_1");
    assertThat(run.status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(run.lease()).isNull();
    assertThat(fleet.restOfOutbox()).as("the message of its creation").hasSize(1);
  }

  @Test
  void a_running_run_whose_lease_has_ended_is_not_its_business() {
    fleet.create("run_1", QUEUE);
    fleet.start("run_1");
    fleet.advance(Duration.ofSeconds(30));

    assertThat(await(finalizer.sweepOnce())).isFalse();

    assertThat(fleet.run("run_1").status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  void an_owner_that_comes_back_between_read_and_append_keeps_its_run() {
    cancellationRequested("run_1", QUEUE);
    cancellationRequested("run_2", QUEUE);
    fleet.advance(Duration.ofSeconds(30));
    process.storage.beforeNext("appendAll", () -> heartbeat("run_1"));

    assertThat(await(finalizer.sweep())).isEqualTo(new PhaseCount(1, false));

    assertThat(fleet.run("run_1").status()).isEqualTo(RunStatus.CANCELLATION_REQUESTED);
    assertThat(fleet.run("run_2").status()).isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  void an_owner_that_comes_back_before_the_read_keeps_its_run() {
    cancellationRequested("run_1", QUEUE);
    fleet.advance(Duration.ofSeconds(30));
    process.storage.beforeNext("getRuns", () -> heartbeat("run_1"));

    assertThat(await(finalizer.sweep())).isEqualTo(PhaseCount.NOTHING);
    assertThat(process.storage.calls("appendAll")).isZero();
  }

  @Test
  void a_slot_of_a_bounded_queue_becomes_free_and_the_dispatcher_hears_of_it() {
    cancellationRequested("run_1", BOUNDED);
    fleet.advance(Duration.ofSeconds(30));
    List<String> heard = new ArrayList<>();
    process.context().notifications().onDispatchChanged(Runnable::run, heard::add);

    await(finalizer.sweep());

    assertThat(heard).contains(BOUNDED.name());
  }

  @Test
  void a_full_scan_says_that_more_is_waiting() {
    for (int index = 0; index < 3; index++) {
      cancellationRequested("run_" + index, QUEUE);
    }
    fleet.advance(Duration.ofSeconds(30));
    CancellationFinalizer small = new CancellationFinalizer(
        process.context(), new CancellationFinalizerOptions().setSweepLimit(2));

    assertThat(await(small.sweepOnce())).isTrue();
    assertThat(await(small.sweepOnce())).isFalse();
  }

  @Test
  void competing_finalizers_cancel_each_run_once() {
    cancellationRequested("run_1", QUEUE);
    fleet.advance(Duration.ofSeconds(30));
    CancellationFinalizer other =
        new CancellationFinalizer(fleet.process().context(), new CancellationFinalizerOptions());
    process.storage.beforeNext("appendAll", () -> await(other.sweep()));

    assertThat(await(finalizer.sweep()).done()).isZero();
    assertThat(fleet.history("run_1").stream()
            .filter(type -> type == dev.runlane.run.RunEventType.CANCELLED))
        .hasSize(1);
  }

  @Test
  void a_storage_outage_fails_the_sweep() {
    process.storage.failNext("listRunsNeedingCancellationFinalization", ScriptedStorage.outage());

    assertThat(((RunlaneException) failure(finalizer.sweepOnce())).code())
        .isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
  }

  private void cancellationRequested(String runId, TaskQueue queue) {
    fleet.create(runId, queue);
    fleet.requestCancellation(fleet.start(runId));
  }

  private void heartbeat(String runId) {
    RunRecord run = fleet.run(runId);
    Lease lease = run.lease().until(fleet.clock.now().plusSeconds(30));
    RunEvent.LeaseHeartbeat event = new RunEvent.LeaseHeartbeat(fleet.appends().header(run), lease);
    await(fleet.storage.heartbeatRunLease(new HeartbeatRunLease(
        MaintenanceFleet.ENVIRONMENT,
        runId,
        run.eventSequence(),
        event,
        RunAppends.project(run, List.of(event)),
        fleet.clock.now())));
  }
}
