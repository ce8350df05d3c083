package dev.runlane.jobs.store;

import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobTimes;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A queue that has jobs.
 *
 * @param name the queue
 * @param counts jobs by state, all six, up to {@value JobStore#MOST_LOOKED_AT} each
 * @param paused whether all of it is paused
 * @param pausedNames the names of jobs that are paused one by one, in the order of their code points
 * @param latestActivity the latest creation, fetch or end of a job, or null
 * @param scheduledCount jobs that repeat
 */
public record QueueInfo(
    String name,
    Map<JobState, Long> counts,
    boolean paused,
    List<String> pausedNames,
    @Nullable Instant latestActivity,
    long scheduledCount) {
  /** Copies the counts and names, cuts the instant to milliseconds and refuses null where it is not meant. */
  public QueueInfo {
    Objects.requireNonNull(name);
    counts = Map.copyOf(counts);
    pausedNames = List.copyOf(pausedNames);
    latestActivity = JobTimes.millisOrNull(latestActivity);
  }
}
