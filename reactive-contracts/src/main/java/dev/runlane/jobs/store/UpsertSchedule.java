package dev.runlane.jobs.store;

import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobTimes;
import dev.runlane.run.Json;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Creates or replaces a named schedule.
 *
 * @param queueName the queue its jobs go to
 * @param key its name, unique in the queue
 * @param jobName the name of its jobs
 * @param data their payload
 * @param options their options; without repeat, job id and delay
 * @param repeat when it fires
 * @param nextAt the next fire, used where the schedule is new or {@code repeat} differs from what is stored,
 *     or null for none
 * @param now the caller's time
 */
public record UpsertSchedule(
    String queueName,
    String key,
    String jobName,
    Json data,
    JobOptions options,
    JobRepeat repeat,
    @Nullable Instant nextAt,
    Instant now) {
  /** Cuts the instants to milliseconds and refuses null where it is not meant. */
  public UpsertSchedule {
    Objects.requireNonNull(queueName);
    Objects.requireNonNull(key);
    Objects.requireNonNull(jobName);
    Objects.requireNonNull(data);
    Objects.requireNonNull(options);
    Objects.requireNonNull(repeat);
    nextAt = JobTimes.millisOrNull(nextAt);
    now = JobTimes.millis(now);
  }
}
