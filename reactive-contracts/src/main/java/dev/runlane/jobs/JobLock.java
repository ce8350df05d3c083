package dev.runlane.jobs;

import java.util.Objects;

/**
 * One hand-out of a job, proven by its token.
 *
 * @param queueName the queue
 * @param jobId the job
 * @param token what {@link JobData#lockToken()} said when the job was fetched
 */
public record JobLock(String queueName, String jobId, String token) {
  /** Refuses null. */
  public JobLock {
    Objects.requireNonNull(queueName);
    Objects.requireNonNull(jobId);
    Objects.requireNonNull(token);
  }
}
