package dev.runlane.jobs.webhook;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobState;
import java.time.Instant;
import java.util.Objects;

/**
 * The end of a job that a webhook is to be notified of. The job may be gone by now, run again, or have ended anew,
 * which is another delivery.
 *
 * @param id of this webhook's delivery of this end, the same however often it is claimed
 * @param webhookId whom to tell
 * @param job its queue and id
 * @param name the job's name
 * @param state {@code completed} or {@code failed}
 * @param createdAt when the job was created
 * @param endedAt when it ended; {@code createdAt} where nobody wrote that
 * @param attemptsMade attempts that had failed by then
 * @param cancelled whether it failed because it was cancelled
 * @param tries how often the delivery was claimed, this time included
 */
public record JobDelivery(
    String id,
    String webhookId,
    JobRef job,
    String name,
    JobState state,
    Instant createdAt,
    Instant endedAt,
    int attemptsMade,
    boolean cancelled,
    int tries) {
  /** Refuses null. */
  public JobDelivery {
    Objects.requireNonNull(id);
    Objects.requireNonNull(webhookId);
    Objects.requireNonNull(job);
    Objects.requireNonNull(name);
    Objects.requireNonNull(state);
    Objects.requireNonNull(createdAt);
    Objects.requireNonNull(endedAt);
  }

  /** When a job that is {@code completed} or {@code failed} ended, as deliveries say it. */
  public static Instant endOf(JobData job) {
    Instant end = job.state() == JobState.COMPLETED ? job.completedAt() : job.failedAt();
    return Objects.requireNonNullElse(end, job.createdAt());
  }
}
