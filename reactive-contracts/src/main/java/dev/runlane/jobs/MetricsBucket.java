package dev.runlane.jobs;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What ended in one period. Durations run from the last fetch to the end; a job that was never fetched counts
 * without one.
 *
 * @param queueName the queue
 * @param jobName the jobs' name, or {@link dev.runlane.jobs.store.JobStore#ALL} for all
 * @param periodStart when the period began
 * @param granularity how long it is
 * @param completedCount jobs that completed
 * @param failedCount jobs that failed for good, cancelled ones included
 * @param totalProcessMillis the sum of durations
 * @param minProcessMillis the shortest duration, or null where there is none
 * @param maxProcessMillis the longest duration, or null where there is none
 */
public record MetricsBucket(
    String queueName,
    String jobName,
    Instant periodStart,
    MetricsGranularity granularity,
    long completedCount,
    long failedCount,
    long totalProcessMillis,
    @Nullable Long minProcessMillis,
    @Nullable Long maxProcessMillis) {
  /** Refuses null where it is not meant. */
  public MetricsBucket {
    Objects.requireNonNull(queueName);
    Objects.requireNonNull(jobName);
    Objects.requireNonNull(periodStart);
    Objects.requireNonNull(granularity);
  }
}
