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
 * a look finds, such as the runs of a process that was killed, workers find within a minute, other roles within five.
 */
final class TestRoles {
  /** Pause between two looks of workers, which take over what a process that was killed has left. */
  static final Duration POLL = Duration.ofMinutes(1);

  private static final Duration LOOK = Duration.ofMinutes(5);

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
        .setWorker(new WorkerOptions().setPollInterval(POLL));
  }
}
