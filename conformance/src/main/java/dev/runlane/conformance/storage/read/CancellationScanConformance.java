package dev.runlane.conformance.storage.read;

import static dev.runlane.conformance.given.TestRuns.cancellationRequested;
import static dev.runlane.conformance.given.TestRuns.cancelled;
import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.minutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.read.ListRunsNeedingCancellationFinalization;
import dev.runlane.storage.read.RunnableRunRef;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Maintenance is shown the cancellations that their owners did not write. */
@DisplayName("scanning for cancellations to finalize")
public abstract class CancellationScanConformance extends StorageConformance {
  @Test
  @Rule("S36")
  void cancelling_runs_are_shown_once_their_lease_has_expired() {
    given(cancellationRequested("run_2", minutes(2)));
    given(cancellationRequested("run_1", minutes(1)));

    assertThat(scan(minutes(1).minusNanos(1_000), 10)).isEmpty();
    assertThat(scan(minutes(1), 10)).extracting(RunnableRunRef::runId).containsExactly("run_1");
    assertThat(scan(minutes(2), 10))
        .extracting(RunnableRunRef::runId)
        .containsExactly("run_1", "run_2");
    assertThat(scan(minutes(2), 10))
        .extracting(RunnableRunRef::availableAt)
        .containsExactly(minutes(1), minutes(2));
    assertThat(scan(minutes(2), 1)).hasSize(1);
  }

  @Test
  @Rule("S36")
  void no_other_runs_are_shown() {
    given(queued("run_1"));
    given(running("run_2", minutes(1)));
    given(cancelled("run_3"));
    given(cancellationRequested("run_4", minutes(1)).environment(OTHER_ENVIRONMENT));

    assertThat(scan(minutes(5), 10)).isEmpty();
  }

  @Test
  @Rule("S36")
  void a_heartbeat_hides_a_run_and_a_cancellation_settles_it() {
    RunRecord run = given(cancellationRequested("run_1", minutes(1)));
    RunRecord extended = Outcomes.done(
            storage.heartbeatRunLease(Commands.heartbeat(run, minutes(3), minutes(1))))
        .run();

    assertThat(scan(minutes(2), 10)).isEmpty();
    assertThat(scan(minutes(3), 10)).hasSize(1);
    append(extended, minutes(3), Events.cancelled(extended, minutes(3)));

    assertThat(scan(minutes(9), 10)).isEmpty();
    assertThat(read("run_1").status()).isEqualTo(RunStatus.CANCELLED);
  }

  private List<RunnableRunRef> scan(Instant now, int limit) {
    return Outcomes.done(storage.listRunsNeedingCancellationFinalization(
        new ListRunsNeedingCancellationFinalization(ENVIRONMENT, now, limit)));
  }
}
