package dev.runlane.conformance.model.jobs;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.MetricsBucket;
import dev.runlane.jobs.MetricsGranularity;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.JobStoreOptions;
import dev.runlane.jobs.store.MetricsQuery;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What ended when: buckets are made of it when they are asked for. */
final class ModelMetrics {
  private final List<End> minutes = new ArrayList<>();
  private final List<End> hours = new ArrayList<>();

  /** A job that has ended. */
  void count(JobData job) {
    boolean completed = job.state() == JobState.COMPLETED;
    Instant end = completed ? job.completedAt() : job.failedAt();
    Long millis = end == null || job.processedAt() == null
        ? null
        : Math.max(0, Duration.between(job.processedAt(), end).toMillis());
    Instant at = Objects.requireNonNullElse(end, job.createdAt());
    for (String name : List.of(JobStore.ALL, job.name())) {
      minutes.add(new End(job.queueName(), name, at, completed, millis));
      hours.add(new End(job.queueName(), name, at, completed, millis));
    }
  }

  Stream<String> queues() {
    return Stream.concat(minutes.stream(), hours.stream()).map(End::queueName);
  }

  void forget(String queueName) {
    minutes.removeIf(end -> end.queueName().equals(queueName));
    hours.removeIf(end -> end.queueName().equals(queueName));
  }

  /** "Removes those that began before their retention." */
  void aggregate(Instant now) {
    Instant minutesFrom = now.minus(JobStoreOptions.DEFAULT_METRICS_MINUTE_RETENTION);
    Instant hoursFrom = now.minus(JobStoreOptions.DEFAULT_METRICS_HOUR_RETENTION);
    minutes.removeIf(end -> MetricsGranularity.MINUTE.periodOf(end.at()).isBefore(minutesFrom));
    hours.removeIf(end -> MetricsGranularity.HOUR.periodOf(end.at()).isBefore(hoursFrom));
  }

  /** "Buckets that begin in a range, by their start and then by name." */
  List<MetricsBucket> list(MetricsQuery query) {
    List<End> ends = (query.granularity() == MetricsGranularity.MINUTE ? minutes : hours)
        .stream().filter(end -> end.queueName().equals(query.queueName())).toList();
    return ends.stream()
        .map(end -> bucketOf(end, query.granularity(), ends))
        .distinct()
        .filter(bucket -> !bucket.periodStart().isBefore(query.from()))
        .filter(bucket -> !bucket.periodStart().isAfter(query.to()))
        .sorted(Comparator.comparing(MetricsBucket::periodStart)
            .thenComparing(MetricsBucket::jobName, ModelSchedules::byCodePoints))
        .toList();
  }

  private static MetricsBucket bucketOf(End one, MetricsGranularity granularity, List<End> all) {
    Instant start = granularity.periodOf(one.at());
    List<End> ends = all.stream()
        .filter(end -> end.name().equals(one.name()))
        .filter(end -> granularity.periodOf(end.at()).equals(start))
        .toList();
    return new MetricsBucket(
        one.queueName(),
        one.name(),
        start,
        granularity,
        ends.stream().filter(End::completed).count(),
        ends.stream().filter(end -> !end.completed()).count(),
        millis(ends).mapToLong(Long::longValue).sum(),
        millis(ends).min(Comparator.naturalOrder()).orElse(null),
        millis(ends).max(Comparator.naturalOrder()).orElse(null));
  }

  private static Stream<Long> millis(List<End> ends) {
    return ends.stream().map(End::millis).flatMap(Stream::ofNullable);
  }

  private record End(
      String queueName,
      String name,
      Instant at,
      boolean completed,
      @Nullable Long millis) {}
}
