package dev.runlane.runtime.operate;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.action.ActionFilter;
import dev.runlane.operator.action.FinishAction;
import dev.runlane.operator.action.ListActions;
import dev.runlane.operator.action.OperatorAction;
import dev.runlane.operator.action.RecordAction;
import dev.runlane.operator.depth.DepthSample;
import dev.runlane.operator.depth.GetSample;
import dev.runlane.operator.document.ListDocuments;
import dev.runlane.operator.document.OperatorDocument;
import dev.runlane.operator.document.PutDocument;
import dev.runlane.operator.document.RemoveDocument;
import dev.runlane.operator.outbox.ListOutbox;
import dev.runlane.operator.outbox.OutboxEntry;
import dev.runlane.operator.outbox.RedriveOutbox;
import dev.runlane.operator.process.HeldLease;
import dev.runlane.operator.process.KnownProcess;
import dev.runlane.operator.process.LeasesOf;
import dev.runlane.operator.process.ListProcesses;
import dev.runlane.operator.process.TopicLag;
import dev.runlane.operator.queue.ListOccupied;
import dev.runlane.operator.queue.ListPausedQueues;
import dev.runlane.operator.queue.OccupiedPartition;
import dev.runlane.operator.queue.PauseQueue;
import dev.runlane.operator.queue.PausedQueue;
import dev.runlane.operator.queue.ResumeQueue;
import dev.runlane.operator.step.ListStepGroups;
import dev.runlane.operator.step.ListSteps;
import dev.runlane.operator.step.StepGroup;
import dev.runlane.operator.step.WaitingStep;
import dev.runlane.operator.task.KnownTask;
import dev.runlane.operator.task.ListTasks;
import dev.runlane.operator.throughput.FoldThroughput;
import dev.runlane.operator.throughput.FoldedThroughput;
import dev.runlane.operator.throughput.ListThroughput;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Identifiers;
import dev.runlane.run.Json;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.create.Triggers;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.read.GetRunByIdempotencyKey;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.run.ResetIdempotencyKey;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What an operator is shown and does beside the runs: processes, queues, the outbox, and the log of actions. Whatever
 * changes something is recorded in the log, with actor and reason, before it is done, and how it ended after. Every
 * method fails with {@code CapabilityUnsupported} where the storage keeps nothing for operators.
 */
public final class Operator {
  /** The action of {@link #resetKey} in the log, whose target is the task's id, a slash and the key = {@value}. */
  public static final String RESET_KEY = "idempotency_key.reset";

  private static final int MOST_REASON = 2_000;
  private static final int PROCESSES_A_PAGE = 200;
  private static final int MOST_PROCESSES = 5_000;

  private final RuntimeContext context;
  private final TaskTriggers taskTriggers;

  /** That of one runtime, which makes it. */
  public Operator(RuntimeContext context, Triggers triggers) {
    this.context = context;
    taskTriggers = new TaskTriggers(context, triggers, this::task);
  }

  /**
   * A page of the tasks that processes with roles or workers say they have, by their ids; those too that nobody has
   * any more, for a week.
   *
   * @param limit rows wanted; null: 50; more than 200 is cut to 200
   * @param cursor where the page before ended; null: the first page
   */
  public Future<Page<KnownTask>> tasks(@Nullable Integer limit, @Nullable String cursor) {
    return asking(
        store -> store.listTasks(new ListTasks(context.environment(), null, limit, cursor)));
  }

  /** What is known of one task, or empty where no process says that it has it. */
  public Future<Optional<KnownTask>> task(String taskId) {
    return asking(store -> context.publishedTask(taskId));
  }

  /**
   * Creates a run of a task that any process of the fleet has, as {@code Runlane.triggerJson} does of this runtime's
   * own, which it is asked first. Of another process's task, what that one said of it counts: its queue and
   * how long an idempotency key is kept, unless the options say it, whether another payload under a key is refused, and
   * the schema that the payload must satisfy, if the validator of schemas is on the class path.
   * Its code alone can make keys and tags: those that it would make must be among the options. Fails with {@code
   * TaskNotFound} where nobody has said that there is the task, and with {@code ValidationFailed} for a payload that
   * breaks the schema, a key or tag that is missing, and a queue that no living process has.
   */
  public Future<TriggerResult> trigger(String taskId, String payload, TriggerOptions options) {
    return trigger(taskId, payload, options, Set.of());
  }

  /**
   * The same without some of what the task's code may make and the options do not have. What is left out is left out
   * for good: a key tells the run from no other, and nobody finds the run by a tag or is told of its end by a webhook
   * that asks for it.
   *
   * @param leftOut what need not be among the options; a task of this runtime's own counts as another process's then
   */
  public Future<TriggerResult> trigger(
      String taskId, String payload, TriggerOptions options, Set<MadeByCode> leftOut) {
    return taskTriggers.trigger(taskId, payload, new TriggerOptions(options), Set.copyOf(leftOut));
  }

  /**
   * The same with the keys of the options alone, though the task's code may make others: they are left out. Tags that
   * it would make must be among the options.
   */
  public Future<TriggerResult> triggerWithGivenKeys(
      String taskId, String payload, TriggerOptions options) {
    return trigger(taskId, payload, options, Set.of(MadeByCode.KEYS));
  }

  /**
   * A page of the processes that are known, by their ids, those too that are gone, for a day.
   *
   * @param limit rows wanted; null: 50; more than 200 is cut to 200
   * @param cursor where the page before ended; null: the first page
   */
  public Future<Page<KnownProcess>> processes(@Nullable Integer limit, @Nullable String cursor) {
    return asking(
        store -> store.listProcesses(new ListProcesses(context.environment(), limit, cursor)));
  }

  /**
   * How far the consumers of each topic are behind, by partition, as processes tell it every 5 s: of a lane whose
   * transport shares wakeups out in partitions; none of any other. Of the first 5 000 processes.
   */
  public Future<List<TopicLag>> topicLags() {
    return processes(new ArrayList<>(), null).map(all -> TopicLag.of(all, context.storageTime()));
  }

  private Future<List<KnownProcess>> processes(List<KnownProcess> found, @Nullable String cursor) {
    return processes(PROCESSES_A_PAGE, cursor).compose(page -> {
      found.addAll(page.data());
      return page.nextCursor() == null || found.size() >= MOST_PROCESSES
          ? Future.succeededFuture(found)
          : processes(found, page.nextCursor());
    });
  }

  /**
   * Which leases the workers of a process hold: of one that is gone, the runs that nobody works on and that nobody else
   * may take over yet.
   *
   * @param limit leases wanted, from 1 to 10 000, those that end first first
   */
  public Future<List<HeldLease>> leasesOf(String processId, int limit) {
    return asking(store -> store.leasesOf(
        new LeasesOf(context.environment(), processId, context.clock().now(), limit)));
  }

  /**
   * A page of the remote steps without a result, by their ids. Of a group that few of them are of, it may have fewer
   * than are wanted, or none, and a next page.
   *
   * @param runId of this run; null: of any
   * @param group that the workers of this group are asked for; null: of any
   * @param limit rows wanted; null: 50; more than 200 is cut to 200
   * @param cursor where the page before ended; null: the first page
   */
  public Future<Page<WaitingStep>> steps(
      @Nullable String runId,
      @Nullable String group,
      @Nullable Integer limit,
      @Nullable String cursor) {
    return asking(store ->
        store.listSteps(new ListSteps(context.environment(), runId, group, limit, cursor)));
  }

  /**
   * The groups whose workers remote steps wait for, by their names: all in one page, which says whether very many wait,
   * so that others were not counted.
   */
  public Future<Page<StepGroup>> stepGroups() {
    return asking(store -> store.listStepGroups(new ListStepGroups(context.environment())));
  }

  /**
   * A page of the outbox messages of a status, by their ids.
   *
   * @param status any but published, else the future fails with {@code ValidationFailed}
   * @param limit rows wanted; null: 50; more than 200 is cut to 200
   * @param cursor where the page before ended; null: the first page
   */
  public Future<Page<OutboxEntry>> outbox(
      OutboxMessageStatus status, @Nullable Integer limit, @Nullable String cursor) {
    return asking(
        store -> store.listOutbox(new ListOutbox(context.environment(), status, limit, cursor)));
  }

  /** Has messages published again that are dead-lettered or failed; answers the ids of those that were. */
  public Future<List<String>> redrive(List<String> messageIds, RunActionOptions options) {
    return redrive(messageIds, Math.max(1, messageIds.size()), options);
  }

  /** Has up to {@code limit} dead-lettered messages published again, by their ids; answers which. */
  public Future<List<String>> redriveDeadLetters(int limit, RunActionOptions options) {
    return redrive(null, limit, options);
  }

  /**
   * Pauses a queue: within 2 s no process claims or reserves anything of it, {@code runNow} fails with a conflict of
   * kind {@code QUEUE_PAUSED}, and wakeups of its runs are ignored. Runs that are running continue, triggers and
   * schedules make more. True when it was not paused; it need not be a queue of this runtime.
   */
  public Future<Boolean> pauseQueue(String queue, RunActionOptions options) {
    RunActionOptions given = new RunActionOptions(options);
    return acting(
            "queue.pause",
            queue,
            given,
            store -> store.pauseQueue(new PauseQueue(
                context.environment(),
                queue,
                given.getActor(),
                given.getReason().orElse(null),
                now())),
            done -> done ? "paused" : "was paused already")
        .compose(this::known);
  }

  /**
   * Resumes a queue. Workers that poll claim its waiting runs within about a second; runs whose wakeups were ignored
   * meanwhile get new ones from the next dispatcher, those of many in bounded chunks, though this process and that
   * dispatcher should die. True when it was paused.
   */
  public Future<Boolean> resumeQueue(String queue, RunActionOptions options) {
    return acting(
            "queue.resume",
            queue,
            new RunActionOptions(options),
            store -> store.resumeQueue(new ResumeQueue(context.environment(), queue)),
            done -> done ? "resumed" : "was not paused")
        .compose(this::known);
  }

  /**
   * Takes an idempotency key away from the ended run that keeps it, so that the next trigger with it creates a run;
   * answers the id of the run that had it, as it was read just before, or empty where nobody had it. The task may be
   * any. Fails with a conflict of kind {@code IDEMPOTENCY_KEY} while its run is active, with {@code
   * CapabilityUnsupported} where keys are not enforced, and with {@code ValidationFailed} for a malformed id or key.
   */
  public Future<Optional<String>> resetKey(String taskId, String key, RunActionOptions options) {
    RunActionOptions given = new RunActionOptions(options);
    return Future.<Void>succeededFuture().compose(start -> {
      Identifiers.requireId("taskId", taskId);
      Identifiers.requireKeyOrNull("idempotencyKey", key);
      return acting(
          RESET_KEY, taskId + "/" + key, given, store -> reset(taskId, key), owner -> owner
              .map(runId -> "taken from run " + runId)
              .orElse("was free"));
    });
  }

  private Future<Optional<String>> reset(String taskId, String key) {
    return context
        .storage()
        .getRunByIdempotencyKey(
            new GetRunByIdempotencyKey(context.environment(), taskId, key, now()))
        .compose(owner -> context
            .storage()
            .resetIdempotencyKey(new ResetIdempotencyKey(context.environment(), taskId, key, now()))
            .map(done -> owner.map(RunRecord::id)));
  }

  /** The queues that are paused, by whom, why and since when. */
  public Future<List<PausedQueue>> pausedQueues() {
    return asking(store -> store.listPausedQueues(new ListPausedQueues(context.environment())));
  }

  /**
   * The concurrency keys of a bounded queue that hold slots, the fullest first.
   *
   * @param limit keys wanted, from 1 to 10 000
   */
  public Future<List<OccupiedPartition>> occupied(String queue, int limit) {
    return asking(store -> store.listOccupied(
        new ListOccupied(context.environment(), queue, context.clock().now(), limit)));
  }

  /**
   * A page of what operators keep under a kind, such as {@code saved_filter}, by name.
   *
   * @param limit rows wanted; null: 50; more than 200 is cut to 200
   * @param cursor where the page before ended; null: the first page
   */
  public Future<Page<OperatorDocument>> documents(
      String kind, @Nullable Integer limit, @Nullable String cursor) {
    return asking(store ->
        store.listDocuments(new ListDocuments(context.environment(), kind, limit, cursor)));
  }

  /**
   * Keeps a document, at most 64 KiB of JSON; answers its version. Recorded in the log of actions.
   *
   * @param expectedVersion the version that is changed; 0: there must be none; null: whatever there is. Empty where
   *     another one is there.
   */
  public Future<Optional<Long>> putDocument(
      String kind,
      String name,
      @Nullable Long expectedVersion,
      Json content,
      RunActionOptions options) {
    RunActionOptions given = new RunActionOptions(options);
    return acting(
        kind + ".put",
        name,
        given,
        store -> store.putDocument(new PutDocument(
            context.environment(), kind, name, expectedVersion, content, given.getActor(), now())),
        version -> version.map(each -> "version " + each).orElse("was changed meanwhile"));
  }

  /** Removes a document; true when it was there. Recorded in the log of actions. */
  public Future<Boolean> removeDocument(String kind, String name, RunActionOptions options) {
    return acting(
        kind + ".remove",
        name,
        new RunActionOptions(options),
        store -> store.removeDocument(new RemoveDocument(context.environment(), kind, name)),
        done -> done ? "removed" : "was not there");
  }

  /**
   * What waits in queues and outbox, as it was counted last: once a minute, by one process with roles at a time. Empty
   * before the first count.
   */
  public Future<Optional<DepthSample>> depths() {
    return asking(store -> store.latestSample(new GetSample(context.environment())));
  }

  /**
   * A page of what became of runs by minute, queue and task: triggers, attempts by what they came to, and latencies, of
   * all processes that count them, as they do unless {@code RunlaneBuilder.countThroughput} says otherwise. A minute is
   * complete about a minute after its end, and kept for two weeks.
   */
  public Future<Page<ThroughputBucket>> throughput(ThroughputQuery query) {
    return asking(store -> store.listThroughput(new ListThroughput(
        context.environment(),
        query.from(),
        query.until(),
        query.queue(),
        query.taskId(),
        query.limit(),
        query.cursor())));
  }

  /**
   * The same added up over equal steps of time, for charts: all of it, or the latest steps where a storage reads no
   * more.
   *
   * @param from where a step begins, as {@link FoldThroughput#beginOf(Instant, Duration)} says
   * @param until only minutes that began before
   * @param step whole minutes, up to a day
   * @param by what is told apart
   * @param queue only of this queue; null: of all
   * @param taskId only of this task; null: of all
   */
  public Future<FoldedThroughput> throughput(
      Instant from,
      Instant until,
      Duration step,
      FoldThroughput.By by,
      @Nullable String queue,
      @Nullable String taskId) {
    return asking(store -> store.foldThroughput(
        new FoldThroughput(context.environment(), from, until, step, by, queue, taskId)));
  }

  /**
   * A page of what operators did that belongs to no run, the latest first.
   *
   * @param limit rows wanted; null: 50; more than 200 is cut to 200
   * @param cursor where the page before ended; null: the first page
   */
  public Future<Page<OperatorAction>> actions(@Nullable Integer limit, @Nullable String cursor) {
    return actions(ActionFilter.ALL, limit, cursor);
  }

  /**
   * A page of those that fit a filter, the latest first. One that few of them fit may have fewer rows than are wanted,
   * or none, and a cursor: then the storage looked at as many as it does for one page.
   *
   * @param limit rows wanted; null: 50; more than 200 is cut to 200
   * @param cursor where the page before with the same filter ended; null: the first page
   */
  public Future<Page<OperatorAction>> actions(
      ActionFilter filter, @Nullable Integer limit, @Nullable String cursor) {
    return asking(
        store -> store.listActions(new ListActions(context.environment(), filter, limit, cursor)));
  }

  /**
   * Does something that belongs to no run, recorded in the log of actions before and after: for tools that add actions
   * of their own. The result's text is kept. Fails as {@code action} does, and with nothing done where it cannot be
   * recorded.
   */
  public <T> Future<T> recorded(
      String name, @Nullable String target, RunActionOptions options, Supplier<Future<T>> action) {
    return recorded(name, target, options, action, String::valueOf);
  }

  /** The same with a text of the result of its own, such as {@code 12 redriven}. */
  public <T> Future<T> recorded(
      String name,
      @Nullable String target,
      RunActionOptions options,
      Supplier<Future<T>> action,
      Function<T, String> result) {
    return acting(name, target, new RunActionOptions(options), store -> action.get(), result);
  }

  /** The same with what the storage keeps, and with a text of the result. */
  <T> Future<T> recorded(
      String name,
      String target,
      RunActionOptions options,
      Function<OperatorStore, Future<T>> action,
      Function<T, String> result) {
    return acting(name, target, options, action, result);
  }

  private Future<List<String>> redrive(
      @Nullable List<String> messageIds, int limit, RunActionOptions options) {
    List<String> named = messageIds == null ? null : List.copyOf(messageIds);
    return acting(
            "outbox.redrive",
            named == null || named.size() != 1 ? null : named.get(0),
            new RunActionOptions(options),
            store ->
                store.redriveOutbox(new RedriveOutbox(context.environment(), named, limit, now())),
            ids -> ids.size() + " redriven")
        .onSuccess(ids -> context.notifications().outboxChanged(context.clock().now()));
  }

  private Future<Boolean> known(Boolean changed) {
    return context
        .host()
        .call(() -> context.pauses().readAgain())
        .transform((read, failure) -> Future.succeededFuture(changed));
  }

  private <T> Future<T> acting(
      String action,
      @Nullable String target,
      RunActionOptions options,
      Function<OperatorStore, Future<T>> work,
      Function<T, String> result) {
    String id = context.ids().token();
    return asking(store -> store
        .recordAction(new RecordAction(
            context.environment(),
            id,
            options.getActor(),
            action,
            target,
            options.getReason().orElse(null),
            now()))
        .compose(recorded -> AdapterCall.answered("the recorded action", work.apply(store)))
        .transform((done, failure) -> store
            .finishAction(new FinishAction(
                context.environment(),
                id,
                failure == null,
                cut(failure == null ? result.apply(done) : String.valueOf(failure.getMessage())),
                now()))
            .transform((finished, unfinished) ->
                failure == null ? Future.succeededFuture(done) : Future.failedFuture(failure))));
  }

  /** What time it is for what is written. */
  private Instant now() {
    return context.eventTime();
  }

  private static String cut(String text) {
    return text.length() <= MOST_REASON ? text : text.substring(0, MOST_REASON);
  }

  /** What the storage keeps for operators is asked. */
  <T> Future<T> asking(Function<OperatorStore, Future<T>> question) {
    return context
        .storage()
        .operator()
        .map(store -> Future.<Void>succeededFuture().compose(start -> question.apply(store)))
        .orElseGet(() -> Future.failedFuture(RunlaneException.of(
            ErrorCode.CAPABILITY_UNSUPPORTED, "the storage keeps nothing for operators")));
  }
}
