package dev.runlane.jobs.memory;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.jobs.store.JobPage;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.QueueInfo;
import dev.runlane.jobs.store.SearchJobsFilter;
import java.time.Instant;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Looks at jobs and changes nothing. */
final class JobLists {
  private final JobTable table;

  JobLists(JobTable table) {
    this.table = table;
  }

  List<JobData> inState(String queueName, JobState state, int start, int end) {
    Stream<JobRow> rows = stream(queueName, state);
    Stream<JobRow> sorted = state == JobState.DELAYED ? rows.sorted(QueueJobs.OLDEST_FIRST) : rows;
    return jobs(sorted.skip(start).limit((long) end - start));
  }

  long count(String queueName, JobState state) {
    return stream(queueName, state).count();
  }

  Map<JobState, Long> counts(String queueName) {
    Map<JobState, Long> counts = new EnumMap<>(JobState.class);
    for (JobState state : JobState.values()) {
      counts.put(state, count(queueName, state));
    }
    return counts;
  }

  List<QueueInfo> queues() {
    return table.queues.values().stream()
        .filter(queue -> !queue.byId.isEmpty())
        .sorted(Comparator.comparing(queue -> queue.name, JobTable.BY_CODE_POINTS))
        .map(this::info)
        .toList();
  }

  List<JobData> newest(Predicate<JobData> fits, int limit) {
    return jobs(newest(fits).limit(limit));
  }

  JobPage search(SearchJobsFilter filter, int start, int end) {
    Predicate<JobData> fits = job -> fits(filter, job);
    List<JobData> page = jobs(newest(fits).skip(start).limit((long) end - start));
    return new JobPage(page, newest(fits).count());
  }

  /** Failed jobs that fit, the last to fail first. */
  Stream<JobRow> failed(String queueName, FailedJobsFilter filter) {
    return stream(queueName, JobState.FAILED).filter(row -> fits(filter, row.job));
  }

  private static boolean fits(FailedJobsFilter filter, JobData job) {
    return (filter.withCancelled() || job.cancelledAt() == null)
        && (filter.name() == null || contains(job.name(), filter.name()))
        && (filter.groupId() == null || filter.groupId().equals(job.groupId()))
        && (filter.createdAfter() == null || !job.createdAt().isBefore(filter.createdAfter()))
        && (filter.createdBefore() == null || !job.createdAt().isAfter(filter.createdBefore()));
  }

  Optional<JobRow> byId(String jobId) {
    return table.rows().filter(row -> row.job.id().equals(jobId)).min(QueueJobs.OLDEST_FIRST);
  }

  List<JobData> children(String parentQueueName, String parentId) {
    return jobs(table
        .rows()
        .filter(row -> parentId.equals(row.job.parentId()))
        .filter(row -> parentQueueName.equals(row.job.parentQueueName()))
        .sorted(QueueJobs.OLDEST_FIRST));
  }

  static boolean contains(String text, String part) {
    return text.toLowerCase(Locale.ROOT).contains(part.toLowerCase(Locale.ROOT));
  }

  private Stream<JobRow> newest(Predicate<JobData> fits) {
    return table.rows().filter(row -> fits.test(row.job)).sorted(QueueJobs.OLDEST_FIRST.reversed());
  }

  private Stream<JobRow> stream(String queueName, JobState state) {
    QueueJobs queue = table.queues.get(queueName);
    return queue == null ? Stream.empty() : queue.in(state).stream();
  }

  private QueueInfo info(QueueJobs queue) {
    return new QueueInfo(
        queue.name,
        counts(queue.name),
        queue.paused.contains(JobStore.ALL),
        queue.paused.stream()
            .filter(name -> !name.equals(JobStore.ALL))
            .sorted(JobTable.BY_CODE_POINTS)
            .toList(),
        queue.byId.values().stream()
            .flatMap(row -> activity(row.job))
            .max(Comparator.naturalOrder())
            .orElse(null),
        queue.byId.values().stream()
            .filter(row -> row.job.options().repeat() != null)
            .count());
  }

  private static Stream<Instant> activity(JobData job) {
    return Stream.<@Nullable Instant>of(
            job.createdAt(), job.processedAt(), job.completedAt(), job.failedAt())
        .flatMap(Stream::ofNullable);
  }

  private static boolean fits(SearchJobsFilter filter, JobData job) {
    return (filter.queueName() == null || filter.queueName().equals(job.queueName()))
        && (filter.states().isEmpty() || filter.states().contains(job.state()))
        && (filter.name() == null || contains(job.name(), filter.name()))
        && (filter.createdAfter() == null || !job.createdAt().isBefore(filter.createdAfter()))
        && (filter.createdBefore() == null || !job.createdAt().isAfter(filter.createdBefore()));
  }

  private static List<JobData> jobs(Stream<JobRow> rows) {
    return rows.map(row -> row.job).toList();
  }
}
