package dev.runlane.jobs.store;

import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobTimes;
import dev.runlane.jobs.NewJob;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Ends one hand-out of a job.
 *
 * @param lock the hand-out
 * @param outcome how it ended
 * @param next the next job of its series, or null. Stored if this job ends completed or failed by this
 *     command, in the job's queue; not when it continues or ends cancelled. Of the job that ended none may follow
 *     any more then: its {@link dev.runlane.jobs.JobRepeat#limit} is 0
 * @param now the caller's time
 */
public record FinishJob(
    JobLock lock, JobOutcome outcome, @Nullable NewJob next, Instant now) {
  /** Cuts the instant to milliseconds and refuses null, except as next job. */
  public FinishJob {
    Objects.requireNonNull(lock);
    Objects.requireNonNull(outcome);
    now = JobTimes.millis(now);
  }

  /** Without a series. */
  public static FinishJob of(JobLock lock, JobOutcome outcome, Instant now) {
    return new FinishJob(lock, outcome, null, now);
  }
}
