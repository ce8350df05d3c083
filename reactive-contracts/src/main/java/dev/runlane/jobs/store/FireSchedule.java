package dev.runlane.jobs.store;

import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.JobTimes;
import dev.runlane.jobs.NewJob;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Fires a schedule once.
 *
 * @param queueName the schedule's queue
 * @param key its name
 * @param dueAt the fire: what {@link JobSchedule#nextAt()} said
 * @param repeat what {@link JobSchedule#repeat()} said: {@code nextAt} was computed from it
 * @param job the job to store
 * @param nextAt the fire that follows, after {@code dueAt}, or null when that was the last
 * @param now the caller's time
 */
public record FireSchedule(
    String queueName,
    String key,
    Instant dueAt,
    JobRepeat repeat,
    NewJob job,
    @Nullable Instant nextAt,
    Instant now) {
  /** Cuts the instants to milliseconds and refuses null where it is not meant. */
  public FireSchedule {
    Objects.requireNonNull(queueName);
    Objects.requireNonNull(key);
    dueAt = JobTimes.millis(dueAt);
    Objects.requireNonNull(repeat);
    Objects.requireNonNull(job);
    nextAt = JobTimes.millisOrNull(nextAt);
    now = JobTimes.millis(now);
  }
}
