package dev.runlane.testing;

import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.maintenance.CancellationFinalizerOptions;
import dev.runlane.runtime.maintenance.DispatcherOptions;
import dev.runlane.runtime.publish.OutboxPublisherOptions;
import dev.runlane.runtime.remote.StepDispatcherOptions;
import dev.runlane.runtime.schedule.SchedulerOptions;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.steps.delivery.StepDeliveryOptions;
import java.time.Duration;

/**
 * All roles, which look seldom: what this process does they hear of at once, and what becomes due they know. What only
 * a look finds is found within a quarter of an hour.
 */
final class TestRoles {
  /** Pause between two looks. */
  static final Duration LOOK = Duration.ofMinutes(15);

  private TestRoles() {}

  static RunlaneDeployment deployment() {
    return new RunlaneDeployment()
        .setDispatcher(new DispatcherOptions().setIdleDelay(LOOK).setLongestIdleDelay(LOOK))
        .setOutboxPublisher(
            new OutboxPublisherOptions().setIdleDelay(LOOK).setLongestIdleDelay(LOOK))
        .setScheduler(new SchedulerOptions().setIdleDelay(LOOK))
        .setCancellationFinalizer(new CancellationFinalizerOptions().setIdleDelay(LOOK))
        .setStepDispatcher(new StepDispatcherOptions().setIdleDelay(LOOK))
        .setStepResults(new StepDeliveryOptions().setLongestPauseWithSignals(LOOK))
        .setWorker(new WorkerOptions().setPollInterval(LOOK));
  }
}
