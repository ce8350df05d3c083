package dev.runlane.conformance.jobs.life;

import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.FinishedJob;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.jobs.store.JobTransitions;
import dev.runlane.run.ErrorCode;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A hand-out ends as its outcome says. */
@DisplayName("a hand-out ends as its outcome says")
public abstract class JobFinishConformance extends JobStoreConformance {
  @Test
  @Rule("J330")
  void a_job_completes() {
    assertEndsAs(DONE);

    assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.COMPLETED))).isEqualTo(1);
  }

  @Test
  @Rule("J330")
  void a_job_fails() {
    JobData after = assertEndsAs(BROKEN);

    assertThat(after.attemptsMade()).isEqualTo(1);
    assertThat(after.failedReason()).isEqualTo("no luck");
    assertThat(after.stacktrace()).containsExactly("at Luck");
  }

  @Test
  @Rule("J331")
  void a_job_is_tried_again_at_once() {
    JobData after = assertEndsAs(new JobOutcome.Retry(NOON, "again", "at Again"));

    assertThat(after.state()).isEqualTo(JobState.WAITING);
    assertThat(after.attemptsMade()).isEqualTo(1);
    assertThat(after.failedReason()).isEqualTo("again");
    assertThat(after.stacktrace()).containsExactly("at Again");
    assertThat(after.failedAt()).isNull();
  }

  @Test
  @Rule("J331")
  void a_job_is_tried_again_later() {
    JobData after = assertEndsAs(new JobOutcome.Retry(after(9_000), "again", null));

    assertThat(after.state()).isEqualTo(JobState.DELAYED);
    assertThat(after.delayUntil()).isEqualTo(after(9_000));
    assertThat(Outcomes.done(store.getNextDelayedTimestamp(QUEUE))).contains(after(9_000));
  }

  @Test
  @Rule("J331")
  void the_reason_of_a_failure_stays_when_a_retry_succeeds() {
    finished(running(job("a")), new JobOutcome.Retry(NOON, "again", null));
    JobData second = fetched();

    finished(second, DONE);

    assertThat(get(second.id()).failedReason()).isEqualTo("again");
    assertThat(get(second.id()).attemptsMade()).isEqualTo(1);
  }

  @Test
  @Rule("J482")
  void a_job_that_was_discarded_and_is_put_back_is_tried_again() {
    JobData running = running(job("a"));
    update(running.id(), JobUpdate.NONE.discarded(true));
    finished(running, new JobOutcome.Retry(NOON, "again", null));
    assertThat(stateOf(running.id())).as("it was discarded").isEqualTo(JobState.FAILED);

    Outcomes.done(store.retryJobs(QUEUE, JobState.FAILED));
    assertThat(get(running.id()).discarded()).isFalse();
    finished(fetched(), new JobOutcome.Retry(NOON, "again", null));

    assertThat(stateOf(running.id())).isEqualTo(JobState.WAITING);
  }

  @Test
  @Rule("J332")
  void a_snoozed_job_has_used_no_attempt() {
    JobData after = assertEndsAs(new JobOutcome.Snooze(after(9_000)));

    assertThat(after.state()).isEqualTo(JobState.DELAYED);
    assertThat(after.attemptsMade()).isZero();
    assertThat(after.failedReason()).isNull();
  }

  @Test
  @Rule("J333")
  void a_stalled_job_has_used_no_attempt_and_waits_again() {
    JobData running = running(job("a"));

    change(finish(running, new JobOutcome.Stalled(), NOON.plus(LOCK).plusMillis(1)));

    JobData after = get(running.id());
    assertThat(after.state()).isEqualTo(JobState.WAITING);
    assertThat(after.attemptsMade()).isZero();
    assertThat(after.stalls()).isEqualTo(1);
    assertThat(after.lockUntil()).isNull();
    assertThat(after.lockedBy()).isNull();
  }

  @Test
  @Rule("J333")
  void a_job_that_stalls_too_often_fails() {
    JobOptions twice = JobOptions.builder().maxStalls(2).attempts(9).build();
    String id = save(job("a", twice));
    for (int i = 1; i <= 3; i++) {
      JobData running = fetched(FetchOptions.ANY, after(i * 100_000L));
      change(finish(running, new JobOutcome.Stalled(), after(i * 100_000L + 90_000)));
      assertThat(stateOf(id)).isEqualTo(i < 3 ? JobState.WAITING : JobState.FAILED);
    }

    assertThat(get(id).failedReason()).isEqualTo(JobTransitions.STALLED_REASON);
  }

  @Test
  @Rule("J334")
  void a_job_ends_as_cancelled() {
    JobData after = assertEndsAs(new JobOutcome.Cancelled());

    assertThat(after.state()).isEqualTo(JobState.FAILED);
    assertThat(after.failedReason()).isEqualTo(JobTransitions.CANCELLED_REASON);
    assertThat(after.cancelledAt()).isEqualTo(after(1_000));
    assertThat(after.attemptsMade()).isZero();
  }

  @Test
  @Rule("J335")
  void whatever_the_outcome_a_job_that_is_to_be_cancelled_ends_so() {
    for (JobOutcome outcome : List.of(
        DONE,
        BROKEN,
        new JobOutcome.Retry(NOON, "again", null),
        new JobOutcome.Snooze(NOON),
        new JobOutcome.Stalled())) {
      JobData running = running(job("a"));
      Outcomes.done(store.cancelJob(QUEUE, running.id(), after(7)));

      JobChange change =
          change(finish(running, outcome, NOON.plus(LOCK).plusMillis(1))).job();

      assertThat(change.state()).isEqualTo(JobState.FAILED);
      assertThat(change.cancelled()).isTrue();
      assertThat(get(running.id()).failedReason()).isEqualTo(JobTransitions.CANCELLED_REASON);
      assertThat(get(running.id()).cancelledAt()).isEqualTo(after(7));
      assertThat(get(running.id()).returnvalue()).isNull();
    }
  }

  @Test
  @Rule("J336")
  void a_discarded_job_is_not_tried_again() {
    JobData running = running(job("a"));
    update(running.id(), JobUpdate.NONE.discarded(true));

    FinishedJob finished = finished(running, new JobOutcome.Retry(NOON, "again", null));

    assertThat(finished.job().state()).isEqualTo(JobState.FAILED);
    assertThat(get(running.id()).failedReason()).isEqualTo("again");
    assertThat(get(running.id()).attemptsMade()).isEqualTo(1);
  }

  @Test
  @Rule("J337")
  void many_jobs_end_in_one_call_each_on_its_own() {
    saveAll(job("a"), job("b"), job("c"));
    List<JobData> jobs = fetch(3, FetchOptions.ANY, NOON);

    List<FinishResult> results = Outcomes.done(store.finishJobs(List.of(
        FinishJob.of(jobs.get(2).lock(), BROKEN, after(1)),
        FinishJob.of(new JobLock(QUEUE, jobs.get(1).id(), "forged"), DONE, after(1)),
        FinishJob.of(jobs.get(0).lock(), DONE, after(2)))));

    assertThat(change(results.get(0)).job().jobId()).isEqualTo(jobs.get(2).id());
    assertThat(change(results.get(0)).job().state()).isEqualTo(JobState.FAILED);
    assertThat(results.get(1)).isEqualTo(new FinishResult.LockLost());
    assertThat(change(results.get(2)).job().state()).isEqualTo(JobState.COMPLETED);
    assertThat(stateOf(jobs.get(1).id())).isEqualTo(JobState.ACTIVE);
    assertThat(get(jobs.get(0).id()).completedAt()).isEqualTo(after(2));
    assertThat(Outcomes.done(store.finishJobs(List.of()))).isEmpty();
  }

  @Test
  @Rule("J338")
  void one_malformed_end_refuses_them_all() {
    saveAll(job("a"), job("b"));
    List<JobData> jobs = fetch(2, FetchOptions.ANY, NOON);

    assertFails(
        store.finishJobs(List.of(
            FinishJob.of(jobs.get(0).lock(), DONE, NOON),
            FinishJob.of(jobs.get(0).lock(), DONE, NOON))),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        store.finishJobs(List.of(
            FinishJob.of(jobs.get(0).lock(), DONE, NOON),
            FinishJob.of(new JobLock(QUEUE, "", "x"), DONE, NOON))),
        ErrorCode.VALIDATION_FAILED);

    assertThat(stateOf(jobs.get(0).id())).isEqualTo(JobState.ACTIVE);
  }

  @Test
  @Rule("J339")
  void an_open_job_is_failed_whoever_has_it() {
    JobData running = running(job("a"));
    String delayed = save(delayed("b", 9_000));

    for (String id : List.of(running.id(), delayed)) {
      FinishedJob failed =
          Outcomes.done(store.failJob(QUEUE, id, "enough", after(5))).orElseThrow();

      assertThat(failed.job().state()).isEqualTo(JobState.FAILED);
      assertThat(get(id).failedReason()).isEqualTo("enough");
      assertThat(get(id).failedAt()).isEqualTo(after(5));
      assertThat(get(id).lockUntil()).isNull();
      assertThat(get(id).delayUntil()).isNull();
      assertThat(Outcomes.done(store.failJob(QUEUE, id, "again", after(6)))).isEmpty();
      assertThat(get(id).failedReason()).isEqualTo("enough");
    }
    assertThat(finish(running, DONE)).isEqualTo(new FinishResult.LockLost());
    assertThat(Outcomes.done(store.failJob(QUEUE, "nobody", "x", NOON))).isEmpty();
  }

  /** Ends a hand-out so, and compares what is stored with what the contract makes of the job. */
  private JobData assertEndsAs(JobOutcome outcome) {
    JobData running = running(job("a"));

    FinishedJob finished = finished(running, outcome);

    JobData expected = JobTransitions.ended(running, outcome, after(1_000));
    JobData found = get(running.id());
    assertThat(found.toBuilder()
            .logs(List.of())
            .stacktrace(List.of())
            .attemptLogs(List.of())
            .build())
        .isEqualTo(expected);
    assertThat(finished.job())
        .isEqualTo(new JobChange(
            QUEUE,
            running.id(),
            expected.state(),
            expected.failedReason(),
            expected.cancelledAt() != null,
            false));
    assertThat(finished.ancestors()).isEmpty();
    return found;
  }
}
