package dev.runlane.jobs.memory;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.MetricsBucket;
import dev.runlane.jobs.MetricsGranularity;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.JobStoreOptions;
import dev.runlane.jobs.store.MetricsQuery;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Counts what ends, in the bucket of its minute and, at the same time, in that of its hour. */
final class JobMetrics {
  private final JobStoreOptions options;
  private final Map<Key, MetricsBucket> buckets = new HashMap<>();

  JobMetrics(JobStoreOptions options) {
    this.options = options;
  }

  void count(JobData job) {
    if (!options.isMetricsEnabled()) {
      return;
    }
    boolean completed = job.state() == JobState.COMPLETED;
    Instant end = completed ? job.completedAt() : job.failedAt();
    Instant at = Objects.requireNonNullElse(end, job.createdAt());
    Long millis = end == null || job.processedAt() == null
        ? null
        : Math.max(0, Duration.between(job.processedAt(), end).toMillis());
    for (MetricsGranularity granularity : MetricsGranularity.values()) {
      for (String name : List.of(JobStore.ALL, job.name())) {
        Key key = new Key(job.queueName(), name, granularity.periodOf(at), granularity);
        buckets.compute(key, (same, bucket) -> raised(same, bucket, completed, millis));
      }
    }
  }

  List<MetricsBucket> list(MetricsQuery query) {
    requireEnabled();
    return buckets.values().stream()
        .filter(bucket -> bucket.queueName().equals(query.queueName()))
        .filter(bucket -> bucket.granularity() == query.granularity())
        .filter(bucket -> !bucket.periodStart().isBefore(query.from()))
        .filter(bucket -> !bucket.periodStart().isAfter(query.to()))
        .sorted(Comparator.comparing(MetricsBucket::periodStart)
            .thenComparing(MetricsBucket::jobName, JobTable.BY_CODE_POINTS))
        .toList();
  }

  void aggregate(Instant now) {
    requireEnabled();
    buckets.keySet().removeIf(key -> key.start().isBefore(now.minus(retention(key))));
  }

  void forget(String queueName) {
    buckets.keySet().removeIf(key -> key.queueName().equals(queueName));
  }

  private Duration retention(Key key) {
    return key.granularity() == MetricsGranularity.MINUTE
        ? options.getMetricsMinuteRetention()
        : options.getMetricsHourRetention();
  }

  private void requireEnabled() {
    if (!options.isMetricsEnabled()) {
      throw RunlaneException.of(ErrorCode.CAPABILITY_UNSUPPORTED, "metrics are not enabled");
    }
  }

  private static MetricsBucket raised(
      Key key, @Nullable MetricsBucket before, boolean completed, @Nullable Long millis) {
    MetricsBucket old = before != null
        ? before
        : new MetricsBucket(
            key.queueName(), key.jobName(), key.start(), key.granularity(), 0, 0, 0, null, null);
    Long least = old.minProcessMillis();
    Long most = old.maxProcessMillis();
    return new MetricsBucket(
        key.queueName(),
        key.jobName(),
        key.start(),
        key.granularity(),
        old.completedCount() + (completed ? 1 : 0),
        old.failedCount() + (completed ? 0 : 1),
        old.totalProcessMillis() + (millis == null ? 0 : millis),
        millis == null || (least != null && least < millis) ? least : millis,
        millis == null || (most != null && most > millis) ? most : millis);
  }

  private record Key(
      String queueName, String jobName, Instant start, MetricsGranularity granularity) {}
}
