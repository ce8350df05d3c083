package dev.runlane.jobs;

import dev.runlane.run.Json;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An event of a queue. A hint: it may come late, twice or, from another process, never.
 *
 * @param type what happened
 * @param queueName where
 * @param jobId the job, or null where it is about several or none
 * @param data what belongs to it, or null; may be missing from events of other processes when it is large
 * @param timestamp when
 */
public record StoreEvent(
    StoreEventType type,
    String queueName,
    @Nullable String jobId,
    @Nullable Json data,
    Instant timestamp) {
  /** Cuts the instant to milliseconds and refuses null where it is not meant. */
  public StoreEvent {
    Objects.requireNonNull(type);
    Objects.requireNonNull(queueName);
    timestamp = JobTimes.millis(timestamp);
  }

  /** About a job, without data. */
  public static StoreEvent of(StoreEventType type, String queueName, String jobId, Instant when) {
    return new StoreEvent(type, queueName, jobId, null, when);
  }
}
