package dev.runlane.conformance.drawn.jobs;

import dev.runlane.conformance.model.jobs.JobModel;
import dev.runlane.conformance.model.jobs.JobReads;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.MetricsGranularity;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.jobs.store.JobChecks;
import dev.runlane.jobs.store.MetricsQuery;
import dev.runlane.jobs.store.SearchJobsFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Questions about jobs. */
final class DrawnJobReads {
  private static final List<JobState> STATES = Arrays.asList(JobState.values());
  private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");
  private static final int MOST_READ = 12;

  private final JobDraw draw;
  private final JobModel model;
  private final ShownJobs shown;

  DrawnJobReads(JobDraw draw, JobModel model, ShownJobs shown) {
    this.draw = draw;
    this.model = model;
    this.shown = shown;
  }

  Object any() {
    JobRef job = shown.any();
    return switch (draw.upTo(24)) {
      case 0, 1, 2, 3, 4 -> new JobReads.GetJob(job.queueName(), job.jobId());
      case 5 -> new JobReads.FindJobById(job.jobId());
      case 6, 7 ->
        new JobReads.FindByDeduplicationKey(draw.queue(), draw.anyOf(draw.keys), draw.now());
      case 8 -> logs(job);
      case 9 -> new JobReads.ListAttempts(job.queueName(), job.jobId());
      case 10, 11, 12 -> page();
      case 13 -> new JobReads.CountJobs(draw.queue(), draw.anyOf(STATES));
      case 14 -> new JobReads.ListQueues();
      case 15 -> byName();
      case 16 -> search();
      case 17 ->
        new JobReads.ListFlowParents(draw.oneIn(2) ? null : draw.anyOf(STATES), 1 + draw.upTo(4));
      case 18 -> new JobReads.GetNextDelayedTimestamp(draw.queue());
      case 19, 20 -> new JobReads.GetStalledJobs(draw.queue(), draw.now(), 1 + draw.upTo(4));
      case 21 -> family();
      case 22 -> schedules();
      default -> metrics(draw.queue());
    };
  }

  private Object logs(JobRef job) {
    int start = draw.upTo(2);
    return new JobReads.GetLogs(job.queueName(), job.jobId(), start, start + draw.upTo(3));
  }

  private Object page() {
    int start = draw.upTo(4);
    return new JobReads.ListJobs(draw.queue(), draw.anyOf(STATES), start, start + draw.upTo(5));
  }

  private Object byName() {
    String part = part(draw.anyOf(draw.names));
    if (draw.oneIn(3)) {
      return new JobReads.SearchByPayload(draw.queue(), part(draw.json().text()), 1 + draw.upTo(6));
    }
    return new JobReads.SearchByName(part, draw.oneIn(2) ? null : draw.queue(), 1 + draw.upTo(6));
  }

  /** Some characters of a text, in some case. */
  private String part(String text) {
    int[] points = text.codePoints().toArray();
    int start = draw.upTo(points.length);
    String part = new String(points, start, draw.upTo(points.length - start + 1));
    return switch (draw.upTo(3)) {
      case 0 -> part.toLowerCase(Locale.ROOT);
      case 1 -> part.replace('a', 'A').replace("\u00e4", "\u00c4");
      default -> part;
    };
  }

  private Object search() {
    int start = draw.upTo(3);
    return new JobReads.SearchJobs(
        new SearchJobsFilter(
            draw.oneIn(2) ? null : draw.queue(),
            draw.oneIn(2) ? List.of() : draw.some(STATES),
            draw.oneIn(2) ? null : part(draw.anyOf(draw.names)),
            createdOrNull(),
            createdOrNull()),
        start,
        start + draw.upTo(6));
  }

  /** When a job was made, or a little off. */
  private @Nullable Instant createdOrNull() {
    List<JobData> jobs = model.jobs();
    if (jobs.isEmpty() || draw.oneIn(2)) {
      return null;
    }
    Instant created = draw.anyOf(jobs).createdAt();
    return draw.oneIn(3) ? created.plusNanos(1_000) : created;
  }

  private Object family() {
    JobRef parent = shown.any(job -> !job.childrenIds().isEmpty());
    return switch (draw.upTo(3)) {
      case 0 -> new JobReads.GetGroupActiveCount(draw.queue(), draw.anyOf(draw.groups));
      case 1 -> new JobReads.GetWaitingGroupCount(draw.queue(), draw.anyOf(draw.groups));
      default -> new JobReads.GetChildrenJobs(parent.queueName(), parent.jobId());
    };
  }

  private Object schedules() {
    return switch (draw.upTo(4)) {
      case 0 -> new JobReads.GetSchedule(draw.queue(), draw.anyOf(draw.keys).substring(0, 1));
      case 1 -> new JobReads.ListSchedules(draw.queue());
      case 2 -> new JobReads.ListDueSchedules(draw.queue(), draw.now(), 1 + draw.upTo(3));
      default -> new JobReads.GetNextScheduleTimestamp(draw.queue());
    };
  }

  private Object metrics(String queue) {
    Instant now = draw.now();
    if (draw.oneIn(3)) {
      return new JobReads.AggregateAndGet(
          now, new MetricsQuery(queue, MetricsGranularity.HOUR, EARLIEST, LATEST));
    }
    Duration around = draw.millis();
    return new JobReads.GetMetrics(
        new MetricsQuery(queue, MetricsGranularity.MINUTE, now.minus(around), now.plusSeconds(60)));
  }

  /** All that can be read, at the end; of the jobs a part one by one. */
  List<Object> everything() {
    List<Object> reads = new ArrayList<>();
    reads.add(new JobReads.SearchJobs(SearchJobsFilter.ALL, 0, JobChecks.MOST_ENTRIES));
    List<JobData> known = model.knownJobs();
    known.stream()
        .skip(Math.max(0, known.size() - MOST_READ))
        .forEach(job -> reads.add(new JobReads.GetJob(job.queueName(), job.id())));
    for (String queue : new TreeSet<>(draw.queues)) {
      reads.add(new JobReads.GetJobCounts(queue));
      reads.add(new JobReads.GetActiveCount(queue));
      countsOfFailed(queue, reads);
      reads.add(new JobReads.GetPausedJobNames(queue));
      reads.add(new JobReads.ListSchedules(queue));
      reads.add(new JobReads.GetMetrics(
          new MetricsQuery(queue, MetricsGranularity.MINUTE, EARLIEST, LATEST)));
      reads.add(new JobReads.AggregateAndGet(
          draw.now(), new MetricsQuery(queue, MetricsGranularity.HOUR, EARLIEST, LATEST)));
    }
    reads.add(new JobReads.ListQueues());
    return reads;
  }

  /** Of those that are like one in one thing, with bounds at which it was made. */
  private void countsOfFailed(String queue, List<Object> reads) {
    Stream<FailedJobsFilter> ofOne = model.jobs().stream()
        .filter(job -> job.queueName().equals(queue) && job.state() == JobState.FAILED)
        .limit(2)
        .flatMap(job -> {
          Instant made = job.createdAt();
          return Stream.of(
              new FailedJobsFilter(job.name(), job.groupId(), null, null, true),
              new FailedJobsFilter(null, null, made, null, true),
              new FailedJobsFilter(null, null, null, made, true),
              new FailedJobsFilter(null, job.groupId(), made, made, false),
              new FailedJobsFilter(null, null, made.plusMillis(1), null, true),
              new FailedJobsFilter(null, null, null, made.minusMillis(1), true));
        });
    Stream.concat(Stream.of(FailedJobsFilter.ALL), ofOne)
        .forEach(filter -> reads.add(new JobReads.CountFailedJobs(queue, filter)));
  }
}
