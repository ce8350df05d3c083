package dev.runlane.jobs.store;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobState;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a command made of one job.
 *
 * @param queueName its queue
 * @param jobId its id
 * @param state its state now, or the one it had when it was removed
 * @param failedReason its failure's message now, or null
 * @param cancelled whether its cancellation was asked for
 * @param removed whether it is gone
 */
public record JobChange(
    String queueName,
    String jobId,
    JobState state,
    @Nullable String failedReason,
    boolean cancelled,
    boolean removed) {
  /** Refuses null, except as message. */
  public JobChange {
    Objects.requireNonNull(queueName);
    Objects.requireNonNull(jobId);
    Objects.requireNonNull(state);
  }

  /** What {@code job} has become. */
  public static JobChange of(JobData job, boolean removed) {
    return new JobChange(
        job.queueName(),
        job.id(),
        job.state(),
        job.failedReason(),
        job.cancelledAt() != null,
        removed);
  }

  /** The same of a job that is gone, or still there. */
  public JobChange withRemoved(boolean gone) {
    return new JobChange(queueName, jobId, state, failedReason, cancelled, gone);
  }
}
