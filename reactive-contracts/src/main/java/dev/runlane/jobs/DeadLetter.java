package dev.runlane.jobs;

import java.time.Instant;
import java.util.Objects;

/**
 * What a job in a dead-letter queue is a copy of.
 *
 * @param queueName the queue of the job that failed
 * @param jobId its id
 * @param reason why it failed
 * @param failedAt when
 * @param options what it was added with
 */
public record DeadLetter(
    String queueName, String jobId, String reason, Instant failedAt, JobOptions options) {
  /** Cuts the instant to milliseconds and refuses null. */
  public DeadLetter {
    Objects.requireNonNull(queueName);
    Objects.requireNonNull(jobId);
    Objects.requireNonNull(reason);
    failedAt = JobTimes.millis(failedAt);
    Objects.requireNonNull(options);
  }
}
