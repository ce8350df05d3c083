package dev.runlane.run;

import static dev.runlane.run.RunStatus.CANCELLATION_REQUESTED;
import static dev.runlane.run.RunStatus.CANCELLED;
import static dev.runlane.run.RunStatus.FAILED;
import static dev.runlane.run.RunStatus.QUEUED;
import static dev.runlane.run.RunStatus.RELEASED;
import static dev.runlane.run.RunStatus.RETRYING;
import static dev.runlane.run.RunStatus.RUNNING;
import static dev.runlane.run.RunStatus.SCHEDULED;
import static dev.runlane.run.RunStatus.SUCCEEDED;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Predicate;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RunStatusTest {

  @Test
  void three_statuses_are_terminal_and_the_other_six_active() {
    assertOnly(RunStatus::isTerminal, SUCCEEDED, FAILED, CANCELLED);
    assertOnly(
        RunStatus::isActive,
        QUEUED,
        SCHEDULED,
        RUNNING,
        RETRYING,
        RELEASED,
        CANCELLATION_REQUESTED);
  }

  @Test
  void a_worker_may_claim_waiting_and_running_runs_but_none_that_is_asked_to_cancel() {
    assertOnly(RunStatus::isRunnableCandidate, QUEUED, SCHEDULED, RUNNING, RETRYING, RELEASED);
  }

  @Test
  void a_queued_run_needs_no_delivery_recovery() {
    assertOnly(RunStatus::isDeliveryRecoveryCandidate, SCHEDULED, RUNNING, RETRYING, RELEASED);
  }

  @Test
  void only_a_requested_cancellation_is_finalized() {
    assertOnly(RunStatus::isCancellationFinalizationCandidate, CANCELLATION_REQUESTED);
  }

  @Test
  void a_lease_belongs_to_running_and_to_a_requested_cancellation() {
    assertOnly(RunStatus::isLeased, RUNNING, CANCELLATION_REQUESTED);
  }

  private static void assertOnly(Predicate<RunStatus> predicate, RunStatus... members) {
    assertThat(RunStatus.values()).filteredOn(predicate).containsExactly(members);
  }
}
