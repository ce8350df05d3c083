package dev.runlane.run;

import static dev.runlane.run.SampleEvents.at;
import static dev.runlane.run.SampleEvents.cancellationRequested;
import static dev.runlane.run.SampleEvents.cancelled;
import static dev.runlane.run.SampleEvents.claimed;
import static dev.runlane.run.SampleEvents.created;
import static dev.runlane.run.SampleEvents.createdFor;
import static dev.runlane.run.SampleEvents.deliveryRequested;
import static dev.runlane.run.SampleEvents.failed;
import static dev.runlane.run.SampleEvents.project;
import static dev.runlane.run.SampleEvents.released;
import static dev.runlane.run.SampleEvents.retryScheduled;
import static dev.runlane.run.SampleEvents.started;
import static dev.runlane.run.SampleEvents.succeeded;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RunDueTimesTest {
  private static final RunRecord RUNNING = project(created(0), claimed(5), started(5, 1));

  /** A run, then the second from which it may be claimed, recovered and finalized; null: never. */
  static Stream<Arguments> dueTimes() {
    return Stream.of(
        Arguments.of(project(created(7)), 7, null, null),
        Arguments.of(project(createdFor(0, 9)), 9, null, null),
        Arguments.of(project(created(0), deliveryRequested(0, 9)), 9, 9, null),
        Arguments.of(RUNNING, 35, 35, null),
        Arguments.of(SampleEvents.append(RUNNING, retryScheduled(6, 1, 20)), 20, 20, null),
        Arguments.of(SampleEvents.append(RUNNING, released(6, 1, 21)), 21, 21, null),
        Arguments.of(SampleEvents.append(RUNNING, cancellationRequested(6)), null, null, 35),
        Arguments.of(SampleEvents.append(RUNNING, succeeded(6, 1)), null, null, null),
        Arguments.of(SampleEvents.append(RUNNING, failed(6, 1)), null, null, null),
        Arguments.of(project(created(0), cancelled(1)), null, null, null));
  }

  @ParameterizedTest(name = "{1}, {2} and {3}")
  @MethodSource("dueTimes")
  void a_run_is_due_for_claim_recovery_and_finalization_at(
      RunRecord run, Integer runnable, Integer recovery, Integer finalization) {
    assertThat(RunDueTimes.runnableAvailableAt(run).orElse(null))
        .isEqualTo(runnable == null ? null : at(runnable));
    assertThat(RunDueTimes.deliveryRecoveryAvailableAt(run).orElse(null))
        .isEqualTo(recovery == null ? null : at(recovery));
    assertThat(RunDueTimes.cancellationFinalizationAvailableAt(run).orElse(null))
        .isEqualTo(finalization == null ? null : at(finalization));
  }

  @Test
  void the_due_times_cover_every_status() {
    assertThat(dueTimes().map(row -> ((RunRecord) row.get()[0]).status()))
        .contains(RunStatus.values());
  }

  @Test
  void a_run_is_due_from_the_very_instant_on() {
    assertThat(RunDueTimes.isRunnableAt(RUNNING, at(35).minusNanos(1))).isFalse();
    assertThat(RunDueTimes.isRunnableAt(RUNNING, at(35))).isTrue();
    assertThat(RunDueTimes.isRunnableAt(RUNNING, at(36))).isTrue();
  }

  @Test
  void a_queued_run_without_a_due_time_counts_from_its_last_event() {
    RunRecord run = project(created(0)).toBuilder().updatedAt(at(4)).build();

    assertThat(RunDueTimes.runnableAvailableAt(run)).contains(at(4));
  }
}
