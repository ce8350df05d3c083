package dev.runlane.cli.operate;

import dev.runlane.cli.option.UsageException;
import dev.runlane.client.ApiClient;
import dev.runlane.client.ApiProcess;
import dev.runlane.client.ApiSchedule;
import dev.runlane.client.ApiTask;
import dev.runlane.client.OccupiedSlots;
import dev.runlane.client.TaggedSummary;
import dev.runlane.operator.action.ActionFilter;
import dev.runlane.operator.action.OperatorAction;
import dev.runlane.operator.alert.Alert;
import dev.runlane.operator.depth.DepthSample;
import dev.runlane.operator.log.LogLine;
import dev.runlane.operator.outbox.OutboxEntry;
import dev.runlane.operator.process.HeldLease;
import dev.runlane.operator.process.TopicLag;
import dev.runlane.operator.queue.PausedQueue;
import dev.runlane.operator.step.StepGroup;
import dev.runlane.operator.step.WaitingStep;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.operator.task.TriggerRules;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.operate.MadeByCode;
import dev.runlane.runtime.operate.PruneOptions;
import dev.runlane.runtime.operate.RunAttempt;
import dev.runlane.runtime.operate.RunExplanation;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.limit.PublishedQueue;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.SortDirection;
import dev.runlane.storage.run.PrunedRuns;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Operations through the API of a console. Who acts is the token's; each action needs a reason there, and one without
 * is a usage error before anything is sent.
 */
public final class RemoteOperations implements Operations {
  private final ApiClient client;
  private final Map<String, Map<String, String>> tags =
      new ConcurrentHashMap<>(); // read, not asked for yet

  /** Through this client, which it closes. */
  public RemoteOperations(ApiClient client) {
    this.client = client;
  }

  @Override
  public Future<Page<RunSummary>> listRuns(RunFilter filter, int limit, @Nullable String cursor) {
    return listTagged(Map.of(), filter, limit, cursor);
  }

  @Override
  public Future<Page<RunSummary>> listTagged(
      Map<String, String> wanted, RunFilter filter, int limit, @Nullable String cursor) {
    return list(wanted, filter, SortDirection.DESC, limit, cursor);
  }

  @Override
  public Future<Page<RunSummary>> listOldest(
      Map<String, String> wanted, RunFilter filter, int limit, @Nullable String cursor) {
    return list(wanted, filter, SortDirection.ASC, limit, cursor)
        .map(RemoteOperations::requireOldestFirst);
  }

  private Future<Page<RunSummary>> list(
      Map<String, String> wanted,
      RunFilter filter,
      SortDirection direction,
      int limit,
      @Nullable String cursor) {
    return client.runs().list(filter, wanted, direction, limit, cursor).map(page -> {
      page.data().forEach(each -> remember(each.run().id(), each.tags()));
      return new Page<>(page.data().stream().map(TaggedSummary::run).toList(), page.nextCursor());
    });
  }

  /** A console of an earlier release lists runs by tags the newest first, whatever is asked for. */
  private static Page<RunSummary> requireOldestFirst(Page<RunSummary> page) {
    List<RunSummary> runs = page.data();
    if (!runs.isEmpty()
        && runs.get(0).createdAt().isAfter(runs.get(runs.size() - 1).createdAt())) {
      throw RunlaneException.of(
          ErrorCode.ADAPTER_CONTRACT_VIOLATION,
          "the server answers the newest runs first, not the oldest: it is of an earlier release");
    }
    return page;
  }

  private void remember(String runId, Map<String, String> read) {
    if (!read.isEmpty()) {
      tags.put(runId, read);
    }
  }

  @Override
  public boolean mayBeMasked() {
    return true;
  }

  /** The API answers runs with their tags: those of what was read before. */
  @Override
  public Future<Map<String, Map<String, String>>> tags(List<String> runIds) {
    Map<String, Map<String, String>> known = new LinkedHashMap<>();
    for (String runId : runIds) {
      Map<String, String> read = tags.remove(runId);
      if (read != null) {
        known.put(runId, read);
      }
    }
    return Future.succeededFuture(known);
  }

  @Override
  public Future<Optional<RunRecord>> getRun(String runId) {
    return client
        .runs()
        .get(runId)
        .map(found -> found.map(read -> {
          remember(runId, read.tags());
          return read.run();
        }));
  }

  @Override
  public Future<Page<RunEventRecord>> listEvents(String runId, int limit, @Nullable String cursor) {
    return client.runs().events(runId, limit, cursor);
  }

  @Override
  public Future<List<RunAttempt>> attempts(String runId) {
    return client.runs().attempts(runId);
  }

  @Override
  public Future<RunExplanation> explain(String runId) {
    return client.runs().explain(runId);
  }

  @Override
  public Future<RunRecord> cancel(String runId, RunActionOptions options) {
    return client.runs().cancel(runId, reason(options));
  }

  @Override
  public Future<TriggerResult> retry(String runId, RunActionOptions options) {
    return client.runs().retry(runId, reason(options));
  }

  @Override
  public Future<TriggerResult> rerun(
      String runId, @Nullable String payload, RunActionOptions options) {
    return client.runs().rerun(runId, payload, reason(options));
  }

  @Override
  public Future<List<ApiTask>> tasks() {
    return client.tasks().list();
  }

  /** A task of the server's own process: its code makes the keys and tags. */
  @Override
  public Future<Optional<RuntimeTask>> task(String taskId) {
    return client.tasks().get(taskId).map(found -> found.map(RemoteOperations::withoutOwnCode));
  }

  private static RuntimeTask withoutOwnCode(ApiTask found) {
    RuntimeTask task = found.task();
    return found.isLocal()
        ? new RuntimeTask(
            task.taskId(),
            task.queue(),
            task.hasHandler(),
            task.payloadType(),
            task.payloadSchema(),
            List.of(),
            TriggerRules.UNTOLD)
        : task;
  }

  @Override
  public Future<TriggerResult> trigger(
      String taskId,
      String payload,
      TriggerOptions options,
      Set<MadeByCode> leftOut,
      RunActionOptions action) {
    return client.tasks().get(taskId).compose(found -> client
        .tasks()
        .trigger(
            taskId,
            payload,
            options,
            found
                .filter(task -> !task.isLocal())
                .map(RemoteOperations::notGiven)
                .orElse(leftOut),
            action.getReason().orElse(null)));
  }

  /** All but what is given; a server of an earlier release tells of no tags, and knows nothing of going without. */
  private static Set<MadeByCode> notGiven(ApiTask found) {
    return found.task().rules().tags().isEmpty()
        ? Set.of(MadeByCode.KEYS)
        : Set.of(MadeByCode.KEYS, MadeByCode.TAGS);
  }

  @Override
  public Future<Optional<String>> resetKey(String taskId, String key, RunActionOptions options) {
    return client.tasks().resetKey(taskId, key, reason(options));
  }

  @Override
  public Future<PrunedRuns> prune(PruneOptions options) {
    throw new UsageException("runs are pruned in the database itself, not over --url");
  }

  @Override
  public <T> Future<T> recorded(
      Action action,
      RunActionOptions options,
      Supplier<Future<T>> work,
      Function<T, String> result) {
    return work.get();
  }

  @Override
  public Future<List<PublishedQueue>> listQueues() {
    return client.fleet().publishedQueues();
  }

  @Override
  public Future<OccupiedSlots> occupied(String queue, int limit) {
    return client.fleet().occupied(queue, limit);
  }

  @Override
  public Future<Page<ApiProcess>> processes(int limit, @Nullable String cursor) {
    return client.fleet().processes(limit, cursor);
  }

  @Override
  public Future<List<HeldLease>> leasesOf(String processId, int limit) {
    return client.fleet().leasesOf(processId, limit);
  }

  @Override
  public Future<Page<WaitingStep>> steps(
      @Nullable String runId, @Nullable String group, int limit, @Nullable String cursor) {
    return client.fleet().steps(runId, group, limit, cursor);
  }

  @Override
  public Future<Page<StepGroup>> stepGroups() {
    return client.fleet().stepGroups();
  }

  @Override
  public Future<Page<OutboxEntry>> outbox(
      OutboxMessageStatus status, int limit, @Nullable String cursor) {
    return client.fleet().outbox(status, limit, cursor);
  }

  @Override
  public Future<List<String>> redrive(List<String> messageIds, RunActionOptions options) {
    return client.fleet().redrive(messageIds, reason(options));
  }

  @Override
  public Future<List<String>> redriveDeadLetters(int limit, RunActionOptions options) {
    return client.fleet().redriveDeadLetters(limit, reason(options));
  }

  @Override
  public Future<Boolean> pauseQueue(String queue, RunActionOptions options) {
    return client.fleet().pauseQueue(queue, reason(options));
  }

  @Override
  public Future<Boolean> resumeQueue(String queue, RunActionOptions options) {
    return client.fleet().resumeQueue(queue, reason(options));
  }

  @Override
  public Future<List<PausedQueue>> pausedQueues() {
    return client.fleet().pausedQueues();
  }

  @Override
  public Future<Page<ApiSchedule>> schedules(int limit, @Nullable String cursor) {
    return client.schedules().list(limit, cursor);
  }

  @Override
  public Future<Boolean> pauseSchedule(String taskId, String scheduleId, RunActionOptions options) {
    return client.schedules().pause(taskId, scheduleId, reason(options));
  }

  @Override
  public Future<Boolean> resumeSchedule(
      String taskId, String scheduleId, RunActionOptions options) {
    return client.schedules().resume(taskId, scheduleId, reason(options));
  }

  /** Empty where the server's own process has not the task, or not the schedule. */
  @Override
  public Future<Optional<TriggerResult>> fireSchedule(
      String taskId, String scheduleId, RunActionOptions options) {
    return client
        .schedules()
        .fire(taskId, scheduleId, reason(options))
        .map(Optional::of)
        .recover(failure -> failure instanceof RunlaneException refused
                && (refused.code() == ErrorCode.TASK_NOT_FOUND
                    || refused.code() == ErrorCode.SCHEDULE_NOT_FOUND)
            ? Future.succeededFuture(Optional.empty())
            : Future.failedFuture(failure));
  }

  @Override
  public Future<Page<Alert>> alerts(
      @Nullable String ruleId, @Nullable Boolean isOpen, int limit, @Nullable String cursor) {
    return client.alerts().list(ruleId, isOpen, limit, cursor);
  }

  @Override
  public Future<Optional<Long>> silence(
      String ruleId, @Nullable Instant until, RunActionOptions options) {
    return client.alerts().silence(ruleId, until, reason(options));
  }

  @Override
  public Future<Optional<Long>> silenceFor(
      String ruleId, Duration length, RunActionOptions options) {
    return client.alerts().silenceFor(ruleId, length, reason(options));
  }

  /** As the server counted last. */
  @Override
  public Future<Optional<DepthSample>> depths() {
    return client.fleet().depths();
  }

  @Override
  public Future<List<TopicLag>> topicLags() {
    return client.fleet().topicLags();
  }

  @Override
  public Future<Page<OperatorAction>> actions(
      ActionFilter filter, int limit, @Nullable String cursor) {
    return client.fleet().actions(filter, limit, cursor);
  }

  @Override
  public Future<Page<LogLine>> log(String runId, int limit, @Nullable String cursor) {
    return client.runs().log(runId, limit, cursor);
  }

  @Override
  public Future<Void> close() {
    return client.close();
  }

  private static String reason(RunActionOptions options) {
    return options
        .getReason()
        .orElseThrow(() ->
            new UsageException("--reason is missing: what is done over HTTP is recorded with one"));
  }
}
