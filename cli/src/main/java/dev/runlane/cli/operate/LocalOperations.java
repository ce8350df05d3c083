package dev.runlane.cli.operate;

import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.client.ApiProcess;
import dev.runlane.client.ApiSchedule;
import dev.runlane.client.ApiTask;
import dev.runlane.client.OccupiedSlots;
import dev.runlane.lane.Lanes;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.action.ActionFilter;
import dev.runlane.operator.action.OperatorAction;
import dev.runlane.operator.alert.Alert;
import dev.runlane.operator.depth.DepthSample;
import dev.runlane.operator.depth.TakeSample;
import dev.runlane.operator.log.LogLine;
import dev.runlane.operator.outbox.OutboxEntry;
import dev.runlane.operator.process.HeldLease;
import dev.runlane.operator.process.TopicLag;
import dev.runlane.operator.queue.PausedQueue;
import dev.runlane.operator.step.StepGroup;
import dev.runlane.operator.step.WaitingStep;
import dev.runlane.operator.task.KnownTask;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.run.Environment;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.operate.MadeByCode;
import dev.runlane.runtime.operate.PruneOptions;
import dev.runlane.runtime.operate.RunAttempt;
import dev.runlane.runtime.operate.RunExplanation;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.limit.ListPublishedQueues;
import dev.runlane.storage.limit.PublishedQueue;
import dev.runlane.storage.limit.QueueLimitStorage;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.SortDirection;
import dev.runlane.storage.run.PrunedRuns;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.PoolOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Operations in the database itself, through a runtime without queues and tasks. It never changes the schema. */
public final class LocalOperations implements Operations {
  private static final RunSort OLDEST_FIRST =
      new RunSort(RunSort.Field.CREATED_AT, SortDirection.ASC);
  private static final Duration COUNTED_WITHIN = Duration.ofSeconds(10);
  private static final int CONNECTIONS = 4;
  private static final int CONNECT_SECONDS = 10;

  private static final int LARGEST_PAGE = 200;
  private static final int MOST_TASKS = 2_000;

  private final Runlane runlane;
  private final QueueLimitStorage limits;
  private final OperatorStore counts;
  private final Environment environment;
  private final Clock clock;

  private LocalOperations(
      Runlane runlane,
      QueueLimitStorage limits,
      OperatorStore counts,
      Environment environment,
      Clock clock) {
    this.runlane = runlane;
    this.limits = limits;
    this.counts = counts;
    this.environment = environment;
    this.clock = clock;
  }

  /** Those of a database. Fails with {@code ConfigurationInvalid} where its tables are not of this release. */
  public static Future<Operations> open(
      Vertx vertx, DatabaseOptions.Settings settings, Clock clock) {
    PgStorageAdapter storage = storage(vertx, settings);
    Runlane runlane = runtime(vertx, storage, settings, clock);
    LocalOperations operations = new LocalOperations(
        runlane,
        storage.queueLimits().orElseThrow(),
        storage.operator().orElseThrow(),
        new Environment(settings.environment()),
        clock);
    return runlane.start().<Operations>map(operations).recover(failure -> operations
        .close()
        .transform(closed -> Future.failedFuture(failure)));
  }

  /** A runtime without queues and tasks on a database, that has not started. */
  public static Runlane runtime(Vertx vertx, DatabaseOptions.Settings settings, Clock clock) {
    return runtime(vertx, storage(vertx, settings), settings, clock);
  }

  private static Runlane runtime(
      Vertx vertx, PgStorageAdapter storage, DatabaseOptions.Settings settings, Clock clock) {
    return Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .operatorOnly()
        .clock(clock)
        .options(new RunlaneOptions().setEnvironment(settings.environment()))
        .build();
  }

  private static PgStorageAdapter storage(Vertx vertx, DatabaseOptions.Settings settings) {
    return PgStorageAdapter.create(
        vertx,
        new PgStorageOptions()
            .setConnectOptions(settings.connect())
            .setPoolOptions(
                new PoolOptions().setMaxSize(CONNECTIONS).setConnectionTimeout(CONNECT_SECONDS))
            .setSchema(settings.schema())
            .setMigrate(false));
  }

  @Override
  public Future<Page<RunSummary>> listRuns(RunFilter filter, int limit, @Nullable String cursor) {
    return runlane.runs().list(filter, RunSort.NEWEST_FIRST, limit, cursor);
  }

  @Override
  public Future<Page<RunSummary>> listTagged(
      Map<String, String> tags, RunFilter filter, int limit, @Nullable String cursor) {
    return runlane.runs().listTagged(tags, filter, limit, cursor);
  }

  @Override
  public Future<Page<RunSummary>> listOldest(
      Map<String, String> tags, RunFilter filter, int limit, @Nullable String cursor) {
    return tags.isEmpty()
        ? runlane.runs().list(filter, OLDEST_FIRST, limit, cursor)
        : runlane.runs().listTagged(tags, filter, SortDirection.ASC, limit, cursor);
  }

  @Override
  public Future<Map<String, Map<String, String>>> tags(List<String> runIds) {
    return runlane.runs().tags(runIds);
  }

  @Override
  public Future<Optional<RunRecord>> getRun(String runId) {
    return runlane.runs().get(runId);
  }

  @Override
  public Future<Page<RunEventRecord>> listEvents(String runId, int limit, @Nullable String cursor) {
    return runlane.runs().events(runId, RunEventSort.HISTORY, limit, cursor);
  }

  @Override
  public Future<List<RunAttempt>> attempts(String runId) {
    return runlane.runs().attempts(runId);
  }

  @Override
  public Future<RunExplanation> explain(String runId) {
    return runlane.runs().explain(runId);
  }

  @Override
  public Future<RunRecord> cancel(String runId, RunActionOptions options) {
    return runlane.runs().cancel(runId, options);
  }

  @Override
  public Future<TriggerResult> retry(String runId, RunActionOptions options) {
    return runlane.runs().retryOnce(runId, options);
  }

  @Override
  public Future<TriggerResult> rerun(
      String runId, @Nullable String payload, RunActionOptions options) {
    return payload == null
        ? runlane.runs().rerun(runId, options)
        : runlane.runs().rerun(runId, payload, options);
  }

  @Override
  public Future<List<ApiTask>> tasks() {
    return tasks(new ArrayList<>(), null);
  }

  private Future<List<ApiTask>> tasks(List<ApiTask> all, @Nullable String cursor) {
    return runlane.operator().tasks(LARGEST_PAGE, cursor).compose((Page<KnownTask> page) -> {
      page.data()
          .forEach(known ->
              all.add(new ApiTask(known.task(), false, known.processId(), known.publishedAt())));
      return page.nextCursor() == null || all.size() >= MOST_TASKS
          ? Future.succeededFuture(all)
          : tasks(all, page.nextCursor());
    });
  }

  @Override
  public Future<Optional<RuntimeTask>> task(String taskId) {
    return runlane.operator().task(taskId).map(found -> found.map(KnownTask::task));
  }

  @Override
  public Future<TriggerResult> trigger(
      String taskId,
      String payload,
      TriggerOptions options,
      Set<MadeByCode> leftOut,
      RunActionOptions action) {
    return task(taskId)
        .compose(known -> known.isPresent()
            ? runlane.operator().trigger(taskId, payload, options, EnumSet.allOf(MadeByCode.class))
            : runlane.triggerJson(taskId, payload, options));
  }

  @Override
  public Future<Optional<String>> resetKey(String taskId, String key, RunActionOptions options) {
    return runlane.operator().resetKey(taskId, key, options);
  }

  @Override
  public Future<PrunedRuns> prune(PruneOptions options) {
    return runlane.runs().prune(options);
  }

  @Override
  public <T> Future<T> recorded(
      Action action,
      RunActionOptions options,
      Supplier<Future<T>> work,
      Function<T, String> result) {
    return runlane.operator().recorded(action.name(), action.target(), options, work, result);
  }

  @Override
  public Future<List<PublishedQueue>> listQueues() {
    return limits.listPublishedQueues(new ListPublishedQueues(environment, clock.now()));
  }

  /** With the strictest limit of living processes. */
  @Override
  public Future<OccupiedSlots> occupied(String queue, int limit) {
    return runlane.operator().occupied(queue, limit).compose(keys -> listQueues()
        .map(queues -> new OccupiedSlots(
            queues.stream()
                .filter(each -> each.queue().equals(queue))
                .map(PublishedQueue::concurrencyLimit)
                .filter(Objects::nonNull)
                .min(Comparator.naturalOrder())
                .orElse(null),
            keys)));
  }

  @Override
  public Future<Page<ApiProcess>> processes(int limit, @Nullable String cursor) {
    return runlane.operator().processes(limit, cursor).map(page -> {
      Instant storageTime = clock.now().minus(runlane.clock().ahead()); // signs of life have it
      return new Page<>(
          page.data().stream()
              .map(each -> new ApiProcess(each, each.isGoneAt(storageTime)))
              .toList(),
          page.nextCursor());
    });
  }

  @Override
  public Future<List<HeldLease>> leasesOf(String processId, int limit) {
    return runlane.operator().leasesOf(processId, limit);
  }

  @Override
  public Future<Page<WaitingStep>> steps(
      @Nullable String runId, @Nullable String group, int limit, @Nullable String cursor) {
    return runlane.operator().steps(runId, group, limit, cursor);
  }

  @Override
  public Future<Page<StepGroup>> stepGroups() {
    return runlane.operator().stepGroups();
  }

  @Override
  public Future<Page<OutboxEntry>> outbox(
      OutboxMessageStatus status, int limit, @Nullable String cursor) {
    return runlane.operator().outbox(status, limit, cursor);
  }

  @Override
  public Future<List<String>> redrive(List<String> messageIds, RunActionOptions options) {
    return runlane.operator().redrive(messageIds, options);
  }

  @Override
  public Future<List<String>> redriveDeadLetters(int limit, RunActionOptions options) {
    return runlane.operator().redriveDeadLetters(limit, options);
  }

  @Override
  public Future<Boolean> pauseQueue(String queue, RunActionOptions options) {
    return runlane.operator().pauseQueue(queue, options);
  }

  @Override
  public Future<Boolean> resumeQueue(String queue, RunActionOptions options) {
    return runlane.operator().resumeQueue(queue, options);
  }

  @Override
  public Future<List<PausedQueue>> pausedQueues() {
    return runlane.operator().pausedQueues();
  }

  @Override
  public Future<Page<ApiSchedule>> schedules(int limit, @Nullable String cursor) {
    return runlane.schedules().list(limit, cursor).compose(page -> runlane
        .schedules()
        .lastRuns(page.data())
        .map(runs -> new Page<>(
            page.data().stream()
                .map(each -> new ApiSchedule(each, lastRun(runs.get(each.state().name()))))
                .toList(),
            page.nextCursor())));
  }

  private static ApiSchedule.@Nullable LastRun lastRun(@Nullable RunSummary run) {
    return run == null ? null : new ApiSchedule.LastRun(run.id(), run.status());
  }

  @Override
  public Future<Boolean> pauseSchedule(String taskId, String scheduleId, RunActionOptions options) {
    return runlane.schedules().pause(taskId, scheduleId, options);
  }

  @Override
  public Future<Boolean> resumeSchedule(
      String taskId, String scheduleId, RunActionOptions options) {
    return runlane.schedules().resume(taskId, scheduleId, options);
  }

  @Override
  public Future<Page<OperatorAction>> actions(
      ActionFilter filter, int limit, @Nullable String cursor) {
    return runlane.operator().actions(filter, limit, cursor);
  }

  @Override
  public Future<Page<LogLine>> log(String runId, int limit, @Nullable String cursor) {
    return runlane.runs().log(runId, limit, cursor);
  }

  @Override
  public Future<Page<Alert>> alerts(
      @Nullable String ruleId, @Nullable Boolean isOpen, int limit, @Nullable String cursor) {
    return runlane.alerts().list(ruleId, isOpen, limit, cursor);
  }

  @Override
  public Future<Optional<Long>> silence(
      String ruleId, @Nullable Instant until, RunActionOptions options) {
    return runlane.alerts().silence(ruleId, until, options);
  }

  @Override
  public Future<Optional<Long>> silenceFor(
      String ruleId, Duration length, RunActionOptions options) {
    return runlane.alerts().silenceFor(ruleId, length, options);
  }

  /** Who may only read sees what a process counted last. */
  @Override
  public Future<Optional<DepthSample>> depths() {
    return counts
        .takeSample(new TakeSample(environment, clock.now(), COUNTED_WITHIN))
        .transform((taken, failure) -> runlane.operator().depths());
  }

  @Override
  public Future<List<TopicLag>> topicLags() {
    return runlane.operator().topicLags();
  }

  @Override
  public Future<Void> close() {
    return runlane.close();
  }
}
