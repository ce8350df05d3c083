package dev.runlane.conformance.model.jobs;

import dev.runlane.conformance.model.Names;
import dev.runlane.jobs.AttemptRecord;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.MetricsBucket;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.jobs.store.JobChecks;
import dev.runlane.jobs.store.JobPage;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.MetricsQuery;
import dev.runlane.jobs.store.QueueInfo;
import dev.runlane.jobs.store.SearchJobsFilter;
import dev.runlane.json.StorableText;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the model answers to questions. */
abstract class JobModelReads implements JobStore {
  final ModelJobs jobs;
  final ModelFetches fetches;
  final ModelSchedules schedules;
  final ModelMetrics metrics;

  JobModelReads(
      ModelJobs jobs, ModelFetches fetches, ModelSchedules schedules, ModelMetrics metrics) {
    this.jobs = jobs;
    this.fetches = fetches;
    this.schedules = schedules;
    this.metrics = metrics;
  }

  /** All jobs as they are now, in the order in which they were stored. */
  public final List<JobData> jobs() {
    return jobs.stream().map(row -> row.job).toList();
  }

  /** Those whose ids the store has shown: a copy of an ancestor in a dead-letter queue is not named by any answer. */
  public final List<JobData> knownJobs() {
    return jobs().stream()
        .filter(job -> !Names.isMade(job.id()) || jobs.names.inStorage(job.id()).isPresent())
        .toList();
  }

  /** All named schedules. */
  public final List<JobSchedule> schedules() {
    return schedules.all();
  }

  /** The webhooks of which the contract says what they are owed. */
  public final List<String> webhookIds() {
    return jobs.webhooks.ids();
  }

  /** When deliveries to webhooks are due. */
  public final Stream<Instant> deliveriesDue() {
    return jobs.webhooks.dueTimes();
  }

  /** Until when webhooks are kept. */
  public final Stream<Instant> webhooksKept() {
    return jobs.webhooks.lastTimes();
  }

  /** The queues that anything is known of. */
  public final Set<String> queues() {
    return Stream.of(
            jobs.stream().map(row -> row.job.queueName()),
            schedules.all().stream().map(JobSchedule::queueName),
            fetches.queues(),
            metrics.queues())
        .flatMap(names -> names)
        .collect(Collectors.toSet());
  }

  @Override
  public final Future<Optional<JobData>> getJob(String queueName, String jobId) {
    return answer(() -> {
      JobChecks.requireJob(queueName, jobId);
      return jobs.find(queueName, jobId).map(ModelJob::full);
    });
  }

  @Override
  public final Future<Optional<JobData>> findByDeduplicationKey(
      String queueName, String key, Instant now) {
    return answer(() -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireInstant("now", now);
      JobChecks.requireKey(key);
      return jobs.standingFor(queueName, key, millis(now)).map(row -> row.job);
    });
  }

  @Override
  public final Future<List<String>> getLogs(String queueName, String jobId, int start, int end) {
    return answer(() -> {
      JobChecks.requireJob(queueName, jobId);
      JobChecks.requireRange(start, end);
      List<String> logs = jobs.find(queueName, jobId).map(ModelJob::logs).orElse(List.of());
      return logs.subList(Math.min(start, logs.size()), Math.min(end, logs.size()));
    });
  }

  @Override
  public final Future<List<AttemptRecord>> listAttempts(String queueName, String jobId) {
    return answer(() -> {
      JobChecks.requireJob(queueName, jobId);
      return jobs.find(queueName, jobId).map(ModelJob::attempts).orElse(List.of());
    });
  }

  @Override
  public final Future<Long> getActiveCount(String queueName) {
    return countJobs(queueName, JobState.ACTIVE);
  }

  /**
   * "Completed and failed ones by their end, last first, before them those that were said to have ended without saying
   * when, all others by their creation, oldest first."
   */
  @Override
  public final Future<List<JobData>> listJobs(
      String queueName, JobState state, int start, int end) {
    return answer(() -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireRange(start, end);
      Comparator<ModelJob> lastEndFirst = Comparator.<ModelJob, Instant>comparing(
              row -> row.endedAt().orElse(Instant.MAX))
          .reversed();
      return jobs.page(
          jobs.in(queueName, state),
          state.isTerminal() ? lastEndFirst : ModelJobs.OLDEST_FIRST,
          start,
          end);
    });
  }

  @Override
  public final Future<Long> countJobs(String queueName, JobState state) {
    return answer(() -> {
      JobChecks.requireQueue(queueName);
      return jobs.in(queueName, state).count();
    });
  }

  @Override
  public final Future<Map<JobState, Long>> getJobCounts(String queueName) {
    return answer(() -> {
      JobChecks.requireQueue(queueName);
      return counts(queueName);
    });
  }

  private Map<JobState, Long> counts(String queueName) {
    Map<JobState, Long> counts = new EnumMap<>(JobState.class);
    for (JobState state : JobState.values()) {
      counts.put(state, jobs.in(queueName, state).count());
    }
    return counts;
  }

  /** "How many failed jobs fit." */
  @Override
  public final Future<Long> countJobs(String queueName, FailedJobsFilter filter) {
    return answer(() -> {
      JobChecks.requireQueue(queueName);
      JobChecks.check(filter);
      return failed(queueName, filter).count();
    });
  }

  /** Failed jobs that fit. */
  final Stream<ModelJob> failed(String queueName, FailedJobsFilter filter) {
    return jobs.in(queueName, JobState.FAILED)
        .filter(row -> filter.withCancelled() || row.job.cancelledAt() == null)
        .filter(row -> filter.name() == null || hasPart(row.job.name(), filter.name()))
        .filter(row -> filter.groupId() == null || filter.groupId().equals(row.job.groupId()))
        .filter(row ->
            filter.createdAfter() == null || !row.job.createdAt().isBefore(filter.createdAfter()))
        .filter(row ->
            filter.createdBefore() == null || !row.job.createdAt().isAfter(filter.createdBefore()));
  }

  /** "All queues that have jobs, by name." */
  @Override
  public final Future<List<QueueInfo>> listQueues() {
    return answer(
        () -> new HashSet<>(jobs.stream().map(row -> row.job.queueName()).toList())
            .stream().sorted(ModelSchedules::byCodePoints).map(this::info).toList());
  }

  private QueueInfo info(String queueName) {
    return new QueueInfo(
        queueName,
        counts(queueName),
        fetches.isPaused(queueName, ALL),
        fetches.pausedIn(queueName).stream()
            .filter(name -> !name.equals(ALL))
            .sorted(ModelSchedules::byCodePoints)
            .toList(),
        jobs.in(queueName)
            .flatMap(row -> activity(row.job))
            .max(Comparator.naturalOrder())
            .orElse(null),
        jobs.in(queueName).filter(row -> row.job.options().repeat() != null).count());
  }

  private static Stream<Instant> activity(JobData job) {
    return Stream.<@Nullable Instant>of(
            job.createdAt(), job.processedAt(), job.completedAt(), job.failedAt())
        .flatMap(Stream::ofNullable);
  }

  @Override
  public final Future<Optional<JobData>> findJobById(String jobId) {
    return answer(() -> {
      JobChecks.requireJob(ALL, jobId);
      return jobs
          .page(
              jobs.stream().filter(row -> row.job.id().equals(jobId)), ModelJobs.OLDEST_FIRST, 0, 1)
          .stream()
          .findFirst()
          .flatMap(job -> jobs.find(job.queueName(), jobId))
          .map(ModelJob::full);
    });
  }

  @Override
  public final Future<List<JobData>> searchByName(
      String query, Optional<String> queueName, int limit) {
    return answer(() -> {
      JobChecks.requireLimit(limit);
      StorableText.require("query", query);
      queueName.ifPresent(JobChecks::requireQueue);
      return newest(
          job -> queueName.map(job.queueName()::equals).orElse(true) && hasPart(job.name(), query),
          0,
          limit);
    });
  }

  @Override
  public final Future<List<JobData>> searchByPayload(String queueName, String query, int limit) {
    return answer(() -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireLimit(limit);
      StorableText.require("query", query);
      return newest(
          job -> queueName.equals(job.queueName()) && hasPart(job.data().text(), query), 0, limit);
    });
  }

  @Override
  public final Future<JobPage> searchJobs(SearchJobsFilter filter, int start, int end) {
    return answer(() -> {
      JobChecks.check(filter);
      JobChecks.requireRange(start, end);
      return new JobPage(
          newest(job -> fits(filter, job), start, end),
          jobs.stream().filter(row -> fits(filter, row.job)).count());
    });
  }

  private static boolean fits(SearchJobsFilter filter, JobData job) {
    return (filter.queueName() == null || filter.queueName().equals(job.queueName()))
        && (filter.states().isEmpty() || filter.states().contains(job.state()))
        && (filter.name() == null || hasPart(job.name(), filter.name()))
        && (filter.createdAfter() == null || !job.createdAt().isBefore(filter.createdAfter()))
        && (filter.createdBefore() == null || !job.createdAt().isAfter(filter.createdBefore()));
  }

  /** "In any case and verbatim." */
  private static boolean hasPart(String text, String part) {
    return text.toLowerCase(Locale.ROOT).contains(part.toLowerCase(Locale.ROOT));
  }

  @Override
  public final Future<List<JobData>> listFlowParents(Optional<JobState> state, int limit) {
    return answer(() -> {
      JobChecks.requireLimit(limit);
      return newest(
          job -> !job.childrenIds().isEmpty() && state.map(job.state()::equals).orElse(true),
          0,
          limit);
    });
  }

  final List<JobData> newest(Predicate<JobData> fits, int start, int end) {
    return jobs.page(
        jobs.stream().filter(row -> fits.test(row.job)), ModelJobs.NEWEST_FIRST, start, end);
  }

  @Override
  public final Future<Optional<Instant>> getNextDelayedTimestamp(String queueName) {
    return answer(() -> {
      JobChecks.requireQueue(queueName);
      return jobs.in(queueName, JobState.DELAYED)
          .flatMap(row -> Stream.ofNullable(row.job.delayUntil()))
          .min(Comparator.naturalOrder());
    });
  }

  /** "In any order." */
  @Override
  public final Future<List<String>> getPausedJobNames(String queueName) {
    return answer(() -> {
      JobChecks.requireQueue(queueName);
      return jobs.inShownOrder(fetches.pausedIn(queueName));
    });
  }

  /** "Active jobs whose lock has run out, those first that did so first." */
  @Override
  public final Future<List<JobData>> getStalledJobs(String queueName, Instant now, int limit) {
    return answer(() -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireInstant("now", now);
      JobChecks.requireLimit(limit);
      return jobs.page(
          jobs.in(queueName, JobState.ACTIVE)
              .filter(
                  row -> row.job.lockUntil() != null && row.job.lockUntil().isBefore(millis(now))),
          Comparator.comparing(row -> row.job.lockUntil()),
          0,
          limit);
    });
  }

  @Override
  public final Future<List<JobData>> getChildrenJobs(String parentQueueName, String parentId) {
    return answer(() -> {
      JobChecks.requireJob(parentQueueName, parentId);
      return jobs.page(
          jobs.stream()
              .filter(row -> parentQueueName.equals(row.job.parentQueueName())
                  && parentId.equals(row.job.parentId())),
          ModelJobs.OLDEST_FIRST,
          0,
          Integer.MAX_VALUE);
    });
  }

  @Override
  public final Future<Long> getGroupActiveCount(String queueName, String groupId) {
    return inGroup(queueName, groupId, JobState.ACTIVE);
  }

  @Override
  public final Future<Long> getWaitingGroupCount(String queueName, String groupId) {
    return inGroup(queueName, groupId, JobState.WAITING);
  }

  private Future<Long> inGroup(String queueName, String groupId, JobState state) {
    return answer(() -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireGroup(groupId);
      return jobs.in(queueName, state)
          .filter(row -> groupId.equals(row.job.groupId()))
          .count();
    });
  }

  @Override
  public final Future<Optional<JobSchedule>> getSchedule(String queueName, String key) {
    return answer(() -> {
      JobChecks.requireSchedule(queueName, key);
      return schedules.find(queueName, key);
    });
  }

  @Override
  public final Future<List<JobSchedule>> listSchedules(String queueName) {
    return answer(() -> {
      JobChecks.requireQueue(queueName);
      return schedules.list(queueName);
    });
  }

  @Override
  public final Future<List<JobSchedule>> listDueSchedules(
      String queueName, Instant now, int limit) {
    return answer(() -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireInstant("now", now);
      JobChecks.requireLimit(limit);
      return schedules.due(queueName, millis(now), limit);
    });
  }

  @Override
  public final Future<Optional<Instant>> getNextScheduleTimestamp(String queueName) {
    return answer(() -> {
      JobChecks.requireQueue(queueName);
      return schedules.next(queueName);
    });
  }

  @Override
  public final Future<List<MetricsBucket>> getMetrics(MetricsQuery query) {
    return answer(() -> {
      JobChecks.check(query);
      return metrics.list(query);
    });
  }

  @Override
  public final Future<Void> aggregateMetrics(Instant now) {
    return answer(() -> {
      JobChecks.requireInstant("now", now);
      metrics.aggregate(millis(now));
      return null;
    });
  }

  @Override
  public final Future<Void> connect() {
    return Future.succeededFuture();
  }

  @Override
  public final Future<Void> disconnect() {
    return Future.succeededFuture();
  }

  @Override
  public final Future<Void> subscribe(String queueName, Consumer<StoreEvent> listener) {
    return withoutListeners();
  }

  @Override
  public final Future<Void> unsubscribe(String queueName, Consumer<StoreEvent> listener) {
    return withoutListeners();
  }

  @Override
  public final Future<Void> unsubscribe(String queueName) {
    return withoutListeners();
  }

  @Override
  public final Future<Void> publish(StoreEvent event) {
    return withoutListeners();
  }

  @Override
  public final Future<Void> publishAll(List<StoreEvent> events) {
    return withoutListeners();
  }

  @Override
  public final boolean sharesEvents() {
    return false;
  }

  private static Future<Void> withoutListeners() {
    return Future.failedFuture(
        new UnsupportedOperationException("events are no part of the model"));
  }

  /** "Instants are whole milliseconds, cut where they enter." */
  static Instant millis(Instant instant) {
    return instant.truncatedTo(ChronoUnit.MILLIS);
  }

  static <T extends @Nullable Object> Future<T> answer(Supplier<T> command) {
    try {
      return Future.succeededFuture(command.get());
    } catch (RunlaneException refusal) {
      return Future.failedFuture(refusal);
    }
  }
}
