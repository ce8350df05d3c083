package dev.runlane.conformance.storage.lease;

import static dev.runlane.conformance.given.TestRuns.released;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.given.TestRuns.succeeded;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.UNBOUNDED;
import static dev.runlane.conformance.kit.Given.WORKER;
import static dev.runlane.conformance.kit.Given.minutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.run.ReleaseRunLease;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Clearing up after an attempt never touches what belongs to somebody else. */
@DisplayName("releasing leases")
public abstract class LeaseReleaseConformance extends StorageConformance {
  @Test
  @Rule("S47")
  void releasing_after_a_terminal_outcome_keeps_the_run_as_it_was_appended() {
    RunRecord run = given(succeeded("run_1"));
    StoredState before = stored();

    release("run_1", "tok_run_1", WORKER);

    assertNothingStored(before);
    assertThat(read("run_1")).isEqualTo(run);
  }

  @Test
  @Rule("S47")
  void releasing_after_a_waiting_outcome_leaves_the_run_claimable() {
    RunRecord run = given(released("run_1", minutes(1)));

    release("run_1", "tok_run_1", WORKER);

    assertThat(read("run_1")).isEqualTo(run);
    assertThat(tryClaim(run, UNBOUNDED, "tok_2", minutes(1))).isPresent();
  }

  @Test
  @Rule("S47")
  void releasing_does_not_touch_the_lease_of_whoever_took_the_run_over() {
    RunRecord lost = given(running("run_1", minutes(1)));
    claim(lost, UNBOUNDED, "tok_2", minutes(1));
    StoredState before = stored();

    release("run_1", "tok_run_1", WORKER);

    assertNothingStored(before);
  }

  @Test
  @Rule("S47")
  void releasing_needs_both_the_token_and_the_worker_of_the_lease() {
    given(running("run_1", minutes(1)));
    StoredState before = stored();

    release("run_1", "tok_other", WORKER);
    release("run_1", "tok_run_1", "worker_2");

    assertNothingStored(before);
  }

  @Test
  @Rule("S47")
  void releasing_a_run_that_does_not_exist_changes_nothing() {
    RunRecord other = given(running("run_2", minutes(1)));
    StoredState before = stored();

    release("run_1", "tok_run_2", WORKER);

    assertNothingStored(before);
    assertThat(before.runs()).containsExactly(other);
  }

  private void release(String runId, String token, String worker) {
    Outcomes.done(storage.releaseRunLease(new ReleaseRunLease(ENVIRONMENT, runId, token, worker)));
  }
}
