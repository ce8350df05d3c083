package dev.runlane.jobs;

import java.util.Objects;

/**
 * Names a job.
 *
 * @param queueName its queue
 * @param jobId its id
 */
public record JobRef(String queueName, String jobId) {
  /** Refuses null. */
  public JobRef {
    Objects.requireNonNull(queueName);
    Objects.requireNonNull(jobId);
  }
}
