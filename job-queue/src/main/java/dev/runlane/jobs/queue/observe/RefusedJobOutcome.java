package dev.runlane.jobs.queue.observe;

import dev.runlane.run.ErrorCode;
import java.time.Instant;
import java.util.Objects;

/**
 * How a job of this process ended, which the store refuses for what somebody can mend, such as a trigger of the user's
 * that fails. It is sent again while the job's lock is renewed, for {@code outcomeTimeout} at most, and has the place
 * of a job meanwhile.
 *
 * @param queueName the job's queue
 * @param jobId the job
 * @param since when it was refused first
 * @param times how often it was refused
 * @param code of the last refusal
 * @param message of the last refusal
 */
public record RefusedJobOutcome(
    String queueName, String jobId, Instant since, int times, ErrorCode code, String message) {
  /** Refuses null. */
  public RefusedJobOutcome {
    Objects.requireNonNull(queueName);
    Objects.requireNonNull(jobId);
    Objects.requireNonNull(since);
    Objects.requireNonNull(code);
    Objects.requireNonNull(message);
  }
}
