package dev.runlane.jobs;

import dev.runlane.run.Json;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A named schedule.
 *
 * @param queueName the queue its jobs go to
 * @param key its name, unique in the queue
 * @param jobName the name of its jobs
 * @param data their payload
 * @param options their options
 * @param repeat when it fires
 * @param nextAt the next fire, or null when none follows
 * @param fired how often it has fired since {@code repeat} was last changed
 * @param lastFiredAt when it fired last, as it was due, or null
 * @param lastJobId the job of that fire, or null
 * @param createdAt when it was made
 * @param updatedAt when it was last changed by {@code upsertSchedule}
 */
public record JobSchedule(
    String queueName,
    String key,
    String jobName,
    Json data,
    JobOptions options,
    JobRepeat repeat,
    @Nullable Instant nextAt,
    long fired,
    @Nullable Instant lastFiredAt,
    @Nullable String lastJobId,
    Instant createdAt,
    Instant updatedAt) {
  /** Cuts the instants to milliseconds and refuses null where it is not meant. */
  public JobSchedule {
    Objects.requireNonNull(queueName);
    Objects.requireNonNull(key);
    Objects.requireNonNull(jobName);
    Objects.requireNonNull(data);
    Objects.requireNonNull(options);
    Objects.requireNonNull(repeat);
    nextAt = JobTimes.millisOrNull(nextAt);
    lastFiredAt = JobTimes.millisOrNull(lastFiredAt);
    createdAt = JobTimes.millis(createdAt);
    updatedAt = JobTimes.millis(updatedAt);
  }
}
