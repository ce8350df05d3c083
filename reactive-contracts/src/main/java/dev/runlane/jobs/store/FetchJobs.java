package dev.runlane.jobs.store;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * Fetches jobs for a worker.
 *
 * @param queueName the queue
 * @param workerId who asks, kept as {@link JobData#lockedBy()}
 * @param lockDuration how long the locks last from {@code now}, at least 1 ms
 * @param options which jobs may be handed out
 * @param limit most jobs, 1 or more
 * @param now the caller's time
 */
public record FetchJobs(
    String queueName,
    String workerId,
    Duration lockDuration,
    FetchOptions options,
    int limit,
    Instant now) {
  /** Cuts the instant to milliseconds and refuses null. */
  public FetchJobs {
    Objects.requireNonNull(queueName);
    Objects.requireNonNull(workerId);
    Objects.requireNonNull(lockDuration);
    Objects.requireNonNull(options);
    now = JobTimes.millis(now);
  }

  /** One job of any kind. */
  public static FetchJobs one(
      String queueName, String workerId, Duration lockDuration, Instant now) {
    return new FetchJobs(queueName, workerId, lockDuration, FetchOptions.ANY, 1, now);
  }

  /** The same with these options. */
  public FetchJobs with(FetchOptions other) {
    return new FetchJobs(queueName, workerId, lockDuration, other, limit, now);
  }

  /** The same for so many jobs. */
  public FetchJobs upTo(int most) {
    return new FetchJobs(queueName, workerId, lockDuration, options, most, now);
  }
}
