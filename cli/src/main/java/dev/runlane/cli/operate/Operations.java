package dev.runlane.cli.operate;

import dev.runlane.client.ApiProcess;
import dev.runlane.client.ApiSchedule;
import dev.runlane.client.ApiTask;
import dev.runlane.client.OccupiedSlots;
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
import dev.runlane.run.RunRecord;
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
import dev.runlane.storage.run.PrunedRuns;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the commands of an operator need, wherever the runs are. Every failure comes through the future. */
public interface Operations {
  /** A page of runs, the newest first. A page has at most 200. */
  Future<Page<RunSummary>> listRuns(RunFilter filter, int limit, @Nullable String cursor);

  /** A page of the runs that have all of these tags, the newest first. A page has at most 200. */
  Future<Page<RunSummary>> listTagged(
      Map<String, String> tags, RunFilter filter, int limit, @Nullable String cursor);

  /**
   * A page of the runs that have all of these tags, or of all where there are none, the oldest first. A page has at
   * most 200.
   */
  Future<Page<RunSummary>> listOldest(
      Map<String, String> tags, RunFilter filter, int limit, @Nullable String cursor);

  /** The tags of those of the runs that have some, by their ids. */
  Future<Map<String, Map<String, String>>> tags(List<String> runIds);

  /** The run as it is now, or empty when it does not exist. */
  Future<Optional<RunRecord>> getRun(String runId);

  /** A page of a run's history from its beginning, heartbeats included. A page has at most 200. */
  Future<Page<RunEventRecord>> listEvents(String runId, int limit, @Nullable String cursor);

  /** Every attempt of a run, in order. */
  Future<List<RunAttempt>> attempts(String runId);

  /** Why a run is where it is. Fails with {@code RunNotFound}. */
  Future<RunExplanation> explain(String runId);

  /**
   * Cancels a run. Fails with {@code ValidationFailed} where it has ended. Neither this nor what makes runs is recorded
   * by itself, see {@link #recorded}.
   */
  Future<RunRecord> cancel(String runId, RunActionOptions options);

  /** Runs a failed run again, as a new one. Fails with {@code ValidationFailed} for any other. */
  Future<TriggerResult> retry(String runId, RunActionOptions options);

  /**
   * Runs an ended run again, as a new one. Fails with {@code ValidationFailed} for an active one, and for a payload
   * that its task does not take.
   *
   * @param payload another payload, as JSON; null: that of the run
   */
  Future<TriggerResult> rerun(String runId, @Nullable String payload, RunActionOptions options);

  /** The tasks that processes say they have, by their ids; at most 2 000. */
  Future<List<ApiTask>> tasks();

  /** What a process says of a task that it has, with the keys and tags that must be given with a trigger. */
  Future<Optional<RuntimeTask>> task(String taskId);

  /**
   * Creates a run of a task, whoever works on it, with the keys and tags of the options. They name a queue that a
   * living process has, unless a process says which one the task has.
   *
   * @param leftOut what the caller goes without on purpose: over HTTP refused of a task of the server's own process,
   *     whose code makes it; of others, what is not among the options is left out
   * @param action who does it, and why
   */
  Future<TriggerResult> trigger(
      String taskId,
      String payload,
      TriggerOptions options,
      Set<MadeByCode> leftOut,
      RunActionOptions action);

  /**
   * Takes an idempotency key away from the ended run that keeps it; answers the run that had it, or empty. It is
   * recorded. Fails with a conflict while its run is active.
   */
  Future<Optional<String>> resetKey(String taskId, String key, RunActionOptions options);

  /** Removes some old ended runs for ever, and says where to go on. */
  Future<PrunedRuns> prune(PruneOptions options);

  /**
   * Records in the log of actions that {@code work} is begun, and what it came to. Not begun where that cannot be
   * recorded. Over HTTP it is only done: the API records what it is asked for.
   *
   * @param action under which name, and of what
   * @param options who does it, and why
   * @param result what is kept of a result
   */
  <T> Future<T> recorded(
      Action action,
      RunActionOptions options,
      Supplier<Future<T>> work,
      Function<T, String> result);

  /**
   * What the log of actions calls something that is done.
   *
   * @param name as the API calls it, such as {@code run.cancel}
   * @param target to what; null: to the environment
   */
  record Action(String name, @Nullable String target) {}

  /** The queues of all living processes, by process and name. */
  Future<List<PublishedQueue>> listQueues();

  /** The concurrency keys of a queue that hold slots, the fullest first; at most 200. */
  Future<OccupiedSlots> occupied(String queue, int limit);

  /** A page of the processes that are known, by their ids, those too that are gone, for a day. */
  Future<Page<ApiProcess>> processes(int limit, @Nullable String cursor);

  /** The leases that workers of a process hold, those that end first first. */
  Future<List<HeldLease>> leasesOf(String processId, int limit);

  /** A page of the remote steps without a result, of a run or a group where they are given, by their ids. */
  Future<Page<WaitingStep>> steps(
      @Nullable String runId, @Nullable String group, int limit, @Nullable String cursor);

  /** The groups whose workers remote steps wait for, by their names; cut where very many steps wait. */
  Future<Page<StepGroup>> stepGroups();

  /** A page of the outbox messages of a status, by their ids. */
  Future<Page<OutboxEntry>> outbox(OutboxMessageStatus status, int limit, @Nullable String cursor);

  /** Has messages published again that are dead-lettered or failed; answers which were. It is recorded. */
  Future<List<String>> redrive(List<String> messageIds, RunActionOptions options);

  /** Has up to so many dead-lettered messages published again; answers which. It is recorded. */
  Future<List<String>> redriveDeadLetters(int limit, RunActionOptions options);

  /** Pauses a queue. True when it was not paused. It is recorded. */
  Future<Boolean> pauseQueue(String queue, RunActionOptions options);

  /** Resumes a queue. True when it was paused. It is recorded. */
  Future<Boolean> resumeQueue(String queue, RunActionOptions options);

  /** The queues that are paused, by their names. */
  Future<List<PausedQueue>> pausedQueues();

  /** A page of the schedules that any process registered, by task and id. */
  Future<Page<ApiSchedule>> schedules(int limit, @Nullable String cursor);

  /** Pauses a schedule. True when it was not paused. It is recorded. */
  Future<Boolean> pauseSchedule(String taskId, String scheduleId, RunActionOptions options);

  /** Resumes a schedule. True when it was paused. It is recorded. */
  Future<Boolean> resumeSchedule(String taskId, String scheduleId, RunActionOptions options);

  /**
   * Makes a run with the payload of a schedule, where a process answers that has its task; empty where none does. It is
   * recorded.
   */
  default Future<Optional<TriggerResult>> fireSchedule(
      String taskId, String scheduleId, RunActionOptions options) {
    return Future.succeededFuture(Optional.empty());
  }

  /** A page of alerts, those that were opened last first; of a rule, and open or resolved, where that is given. */
  Future<Page<Alert>> alerts(
      @Nullable String ruleId, @Nullable Boolean isOpen, int limit, @Nullable String cursor);

  /** Has nobody told of what a rule finds until then; null: they are told again. Empty where there is none. */
  Future<Optional<Long>> silence(String ruleId, @Nullable Instant until, RunActionOptions options);

  /** The same for a time from now on. */
  Future<Optional<Long>> silenceFor(String ruleId, Duration length, RunActionOptions options);

  /** What waits in queues and outbox, counted within the last ten seconds where that can be. */
  Future<Optional<DepthSample>> depths();

  /** How far the consumers of each topic are behind, by partition; none where the lane has no topics. */
  Future<List<TopicLag>> topicLags();

  /** A page of what operators did, the latest first. */
  Future<Page<OperatorAction>> actions(ActionFilter filter, int limit, @Nullable String cursor);

  /** A page of the lines that a run's handlers wrote, by attempt and place. */
  Future<Page<LogLine>> log(String runId, int limit, @Nullable String cursor);

  /** Whether an API answers, which may hide values from the caller. */
  default boolean mayBeMasked() {
    return false;
  }

  /** Gives everything back. */
  Future<Void> close();
}
