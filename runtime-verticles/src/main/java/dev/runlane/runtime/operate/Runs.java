package dev.runlane.runtime.operate;

import dev.runlane.json.JsonValues;
import dev.runlane.operator.log.ListLogLines;
import dev.runlane.operator.log.LogLine;
import dev.runlane.operator.tag.FindTags;
import dev.runlane.operator.tag.ListTaggedRuns;
import dev.runlane.operator.tag.TaggedRun;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.EventHeader;
import dev.runlane.run.Identifiers;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.create.NewRuns;
import dev.runlane.runtime.create.Triggers;
import dev.runlane.runtime.process.NewRun;
import dev.runlane.runtime.process.ReadableRuns;
import dev.runlane.runtime.process.RetryBudget;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.registry.PublishedSchema;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.read.CountRuns;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.GetRunByIdempotencyKey;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunCounts;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.SortDirection;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.PrunedRuns;
import dev.runlane.timing.FutureLoop;
import dev.runlane.timing.Ids;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What operators call: reading, explaining, cancelling, retrying and pruning runs. Every call fails with {@code
 * CapabilityUnsupported} where the lane offers no operator reads, and with {@code ValidationFailed} for malformed
 * input.
 */
public final class Runs {
  private static final int PAGE_BYTES = 4 * 1_048_576; // of events
  private static final int TRIES = 20; // of an action that keeps losing the race for the sequence
  private static final Set<RunStatus> ACTIVE = Arrays.stream(RunStatus.values())
      .filter(RunStatus::isActive)
      .collect(Collectors.toUnmodifiableSet());

  private final RuntimeContext context;
  private final NewRuns newRuns;
  private final Triggers triggers;
  private final Explanations explanations;
  private final boolean operatorReads;

  /** Those of one runtime, which makes it; without operator reads, pages and histories fail. */
  public Runs(RuntimeContext context, NewRuns newRuns, Triggers triggers, boolean operatorReads) {
    this.context = context;
    this.newRuns = newRuns;
    this.triggers = triggers;
    this.operatorReads = operatorReads;
    explanations = new Explanations(context);
  }

  /** The run as it is now, or empty when it does not exist. */
  public Future<Optional<RunRecord>> get(String runId) {
    return reading("runs.get").compose(allowed -> read(runId));
  }

  /**
   * What lists show of these runs, by id; none of one that does not exist or cannot be read.
   *
   * @param runIds at most 10 000
   */
  public Future<Map<String, RunSummary>> summaries(List<String> runIds) {
    return reading("runs.summaries").compose(allowed -> ReadableRuns.summaries(context, runIds));
  }

  /** The newest runs that fit; the first page of the default size. */
  public Future<Page<RunSummary>> list(RunFilter filter) {
    return list(filter, RunSort.NEWEST_FIRST, null, null);
  }

  /**
   * A page of runs without payloads. It may have fewer than are wanted, or none, and still a next one: a storage may
   * bound how many runs it looks at for a page, where few of very many fit the filter.
   *
   * @param limit rows wanted; null: 50; more than 200 is cut to 200
   * @param cursor where the previous page with the same filter and sort ended; null: the first page
   */
  public Future<Page<RunSummary>> list(
      RunFilter filter, RunSort sort, @Nullable Integer limit, @Nullable String cursor) {
    return reading("runs.list").compose(allowed -> context
        .storage()
        .listRuns(new ListRuns(context.environment(), filter, sort, limit, cursor)));
  }

  /**
   * A page of the runs that have all of these tags and fit the filter, the newest first; with fewer than are wanted, as
   * in {@link #list}, where few of very many that have a tag fit. Fails with {@code CapabilityUnsupported} where the
   * storage keeps nothing for operators.
   *
   * @param tags at least one
   * @param limit rows wanted; null: 50; more than 200 is cut to 200
   * @param cursor where the previous page with the same tags and filter ended; null: the first page
   */
  public Future<Page<RunSummary>> listTagged(
      Map<String, String> tags,
      RunFilter filter,
      @Nullable Integer limit,
      @Nullable String cursor) {
    return listTagged(tags, filter, SortDirection.DESC, limit, cursor);
  }

  /** The same, the newest or the oldest first. */
  public Future<Page<RunSummary>> listTagged(
      Map<String, String> tags,
      RunFilter filter,
      SortDirection direction,
      @Nullable Integer limit,
      @Nullable String cursor) {
    return reading("runs.listTagged").compose(allowed -> context
        .storage()
        .operator()
        .map(store -> store.listTaggedRuns(
            new ListTaggedRuns(context.environment(), tags, filter, direction, limit, cursor)))
        .orElseGet(() -> Future.failedFuture(nothingForOperators())));
  }

  /**
   * How many runs of each status fit a filter, whose statuses are left out of account, up to {@code atMost} of each,
   * which may be 10 000. Fails with {@code CapabilityUnsupported} where the storage keeps nothing for operators.
   */
  public Future<RunCounts> counts(RunFilter filter, int atMost) {
    return reading("runs.counts").compose(allowed -> context
        .storage()
        .operator()
        .map(store -> store.countRuns(new CountRuns(context.environment(), filter, atMost)))
        .orElseGet(() -> Future.failedFuture(nothingForOperators())));
  }

  /** The tags of a run; none where it has none, does not exist, or the storage keeps nothing for operators. */
  public Future<Map<String, String>> tags(String runId) {
    return tags(List.of(runId)).map(found -> found.getOrDefault(runId, Map.of()));
  }

  /** The tags of those of the runs that have some, by the ids of the runs; at most 10 000 at once. */
  public Future<Map<String, Map<String, String>>> tags(List<String> runIds) {
    return context
        .storage()
        .operator()
        .map(store -> store
            .findTags(new FindTags(context.environment(), runIds))
            .map(found -> found.stream()
                .collect(Collectors.toUnmodifiableMap(TaggedRun::runId, TaggedRun::tags))))
        .orElseGet(() -> Future.succeededFuture(Map.of()));
  }

  /** The history of a run from its beginning; the first page of the default size. */
  public Future<Page<RunEventRecord>> events(String runId) {
    return events(runId, RunEventSort.HISTORY, null, null);
  }

  /**
   * A page of a run's history, heartbeats included. One whose events come to 4 MiB ends there, whatever is wanted: what
   * is left of a history is known by the cursor alone.
   *
   * @param limit rows wanted; null: 50; more than 200 is cut to 200
   * @param cursor where the previous page with the same sort ended; null: the first page
   */
  public Future<Page<RunEventRecord>> events(
      String runId, RunEventSort sort, @Nullable Integer limit, @Nullable String cursor) {
    return events(RunEventFilter.ofRun(runId), sort, limit, cursor);
  }

  /**
   * A page of the events of any runs. In the order in which they occurred, one of a process whose clock is slow or
   * whose commit takes long may appear before others that were read already. A page whose events come to 4 MiB ends
   * there, whatever is wanted: what is left is known by the cursor alone.
   *
   * @param limit rows wanted; null: 50; more than 200 is cut to 200
   * @param cursor where the previous page with the same filter and sort ended; null: the first page
   */
  public Future<Page<RunEventRecord>> events(
      RunEventFilter filter, RunEventSort sort, @Nullable Integer limit, @Nullable String cursor) {
    return reading("runs.events").compose(allowed -> context
        .storage()
        .listRunEvents(
            new ListRunEvents(context.environment(), filter, sort, limit, cursor, PAGE_BYTES)));
  }

  /**
   * A page of the lines that the run's handlers wrote, by attempt and place. Fails with {@code CapabilityUnsupported}
   * where the storage keeps nothing for operators.
   *
   * @param limit rows wanted; null: 50; more than 200 is cut to 200
   * @param cursor where the page before ended; null: the first page
   */
  public Future<Page<LogLine>> log(String runId, @Nullable Integer limit, @Nullable String cursor) {
    return context
        .storage()
        .operator()
        .map(store ->
            store.listLogLines(new ListLogLines(context.environment(), runId, limit, cursor)))
        .orElseGet(() -> Future.failedFuture(nothingForOperators()));
  }

  private static RunlaneException nothingForOperators() {
    return RunlaneException.of(
        ErrorCode.CAPABILITY_UNSUPPORTED, "the storage keeps nothing for operators");
  }

  /**
   * Every attempt of a run, in order; none when the run does not exist. Reads the whole history but for heartbeats and
   * steps.
   */
  public Future<List<RunAttempt>> attempts(String runId) {
    RunEventFilter ofAttempts = new RunEventFilter(runId, RunAttempts.TYPES, null, null);
    return history(ofAttempts).map(RunAttempts::of);
  }

  /**
   * An active run with this idempotency key. Advisory: another one may appear or end at any time, so
   * correctness must not depend on it.
   */
  public Future<Optional<RunRecord>> findActiveByIdempotencyKey(
      TaskDescription<?> task, String key) {
    return findActive(RunFilter.ALL.withTaskIds(List.of(task.id())).withIdempotencyKey(key));
  }

  /** An active run with this singleton key. Advisory, as {@link #findActiveByIdempotencyKey}. */
  public Future<Optional<RunRecord>> findActiveBySingletonKey(TaskDescription<?> task, String key) {
    return findActive(RunFilter.ALL.withTaskIds(List.of(task.id())).withSingletonKey(key));
  }

  /** The run that owns an idempotency key: an active one, or a terminal one that still retains it. */
  public Future<Optional<RunRecord>> findCurrent(TaskDescription<?> task, String key) {
    return reading("runs.findCurrent").compose(allowed -> context
        .storage()
        .getRunByIdempotencyKey(new GetRunByIdempotencyKey(
            context.environment(), task.id(), key, context.eventTime())));
  }

  /**
   * Cancels a run. One that waits is cancelled at once. A running one is asked to stop: it stays {@code
   * cancellation_requested} until its owner answers or its lease ends; asking again changes nothing. Fails
   * with {@code RunNotFound}, and with {@code ValidationFailed} when the run has ended.
   */
  public Future<RunRecord> cancel(String runId, RunActionOptions options) {
    return reading("runs.cancel")
        .compose(allowed -> cancel(runId, options, new RetryBudget(context.timers(), TRIES)));
  }

  /**
   * Runs the task and payload of a terminal run again, as a new run with the same queue, concurrency and
   * singleton key. Fails with {@code RunNotFound}, {@code TaskNotFound}, or {@code ValidationFailed} when
   * the run is active or its payload no longer valid. Of a task that this runtime does not have, the payload must
   * satisfy the schema that another process published, and is repeated as it was; where no process says that it has
   * the task, an operator's runtime alone repeats it.
   */
  public Future<TriggerResult> rerun(String runId, RunActionOptions options) {
    return repeat(runId, options, "runs.rerun", Runs::sourceOfRerun, run -> run);
  }

  /**
   * As {@link #rerun(String, RunActionOptions)}, with this payload in place of the run's; it must satisfy what the task
   * demands of any payload.
   *
   * @param payload JSON text
   */
  public Future<TriggerResult> rerun(String runId, String payload, RunActionOptions options) {
    return repeat(runId, options, "runs.rerun", Runs::sourceOfRerun, run -> run.toBuilder()
        .payload(JsonValues.parse(
            "the payload of run " + run.id(), payload, context.options().payloadLimits()))
        .build());
  }

  /** The same for a failed run, which the new one recovers. Each call makes a run. */
  public Future<TriggerResult> retry(String runId, RunActionOptions options) {
    return repeat(
        runId,
        options,
        "runs.retry",
        run -> {
          if (run.status() != RunStatus.FAILED) {
            throw RunlaneException.validationFailed(
                "run %s is %s; only a failed run can be retried",
                run.id(), run.status().value());
          }
          return RunSource.manualRetry(run.id());
        },
        run -> run);
  }

  /**
   * As {@link #retry(String, RunActionOptions)}, but once for each failed run: made again, by whatever process, it
   * answers the run that it made for as long as that is kept, as {@code IDEMPOTENT_EXISTING}. So consoles and commands
   * act, whose calls people repeat. If that run has failed too, it is the one to be retried; {@link #rerun} makes a run
   * each time.
   */
  public Future<TriggerResult> retryOnce(String runId, RunActionOptions options) {
    return retry(runId, new RunActionOptions(options).setNewRunId(Ids.retryRunId(runId)));
  }

  /**
   * Removes old terminal runs for ever, a bounded number a call; continue with the cursor while there is one.
   * The age is resolved once: later calls with the cursor keep the cutoff of the first. Where the clocks of this
   * process and of the storage do not agree, what is removed is old by both.
   */
  public Future<PrunedRuns> prune(PruneOptions options) {
    return reading("runs.prune").compose(allowed -> {
      Capabilities.require(
          context.storage().capabilities(), StorageCapability.PRUNES_RUNS, "runs.prune");
      Instant now = earlierTime();
      Optional<PruneCursor> from =
          options.getCursor().map(text -> PruneCursor.decode(text, options));
      Instant cutoff = from.map(PruneCursor::cutoff).orElseGet(() -> cutoff(options, now));
      return context
          .storage()
          .pruneRuns(new PruneRuns(
              context.environment(),
              terminal(options.getStatuses()),
              cutoff,
              now,
              options.getLimit().orElse(null),
              from.map(PruneCursor::storageCursor).orElse(null)))
          .map(pruned -> new PrunedRuns(
              pruned.prunedRuns(),
              pruned.nextCursor() == null
                  ? null
                  : new PruneCursor(PruneCursor.fingerprint(options), cutoff, pruned.nextCursor())
                      .encode()));
    });
  }

  /** Why the run is where it is, in words and as data. Fails with {@code RunNotFound}. */
  public Future<RunExplanation> explain(String runId) {
    return reading("runs.explain")
        .compose(allowed -> require(runId))
        .compose(explanations::explain);
  }

  /** While the clocks do not agree, by the earlier one: nothing is removed that is not old by both. */
  private Instant earlierTime() {
    Instant own = context.clock().now();
    Instant storages = context.storageTime();
    return context.clockMonitor().mayClaim() || own.isBefore(storages) ? own : storages;
  }

  private Future<RunRecord> cancel(String runId, RunActionOptions options, RetryBudget tries) {
    return require(runId).compose(run -> {
      if (run.status().isTerminal()) {
        throw RunlaneException.validationFailed(
            "run %s has ended as %s and cannot be cancelled",
            runId, run.status().value());
      }
      if (run.status() == RunStatus.CANCELLATION_REQUESTED) {
        return Future.succeededFuture(run);
      }
      return context
          .appends()
          .append(run, List.of(cancellation(run, options)))
          .map(appended -> {
            context.notifications().dispatchChanged(run.queue());
            if (appended.run().status().isTerminal()) {
              context.observer().runEnded(appended.run());
            }
            return appended.run();
          })
          .recover(failure -> failure instanceof RunlaneException conflict
                  && conflict.isConflict(StorageConflictKind.EVENT_SEQUENCE)
                  && tries.tryNext()
              ? cancel(runId, options, tries)
              : Future.failedFuture(failure));
    });
  }

  private RunEvent cancellation(RunRecord run, RunActionOptions options) {
    String reason = options.getReason().orElse(null);
    newRuns.meta(options.getReason().map(text -> Map.of("reason", text)));
    EventHeader header = context
        .appends()
        .header(run)
        .by(options.getActor())
        .withTrace(newRuns.carrier(options.getTraceCarrier()))
        .withMeta(newRuns.meta(options.getMeta()));
    return run.status() == RunStatus.RUNNING
        ? new RunEvent.CancellationRequested(header, reason)
        : new RunEvent.Cancelled(header, reason);
  }

  private Future<TriggerResult> repeat(
      String runId,
      RunActionOptions options,
      String method,
      Repetition repetition,
      UnaryOperator<RunRecord> edited) {
    // Tags first: where the run is there after them, it was not removed meanwhile, and its tags
    // with it.
    return reading(method)
        .compose(allowed -> tags(runId))
        .compose(tags -> require(runId).compose(run -> {
          RunSource source = repetition.sourceOf(run);
          return repeated(edited.apply(run), source, tags, options);
        }))
        .compose(wanted -> triggers.create(wanted, new TriggerOptions()));
  }

  private static RunSource sourceOfRerun(RunRecord run) {
    if (run.status().isActive()) {
      throw RunlaneException.validationFailed(
          "run %s is %s; only an ended run can be run again",
          run.id(), run.status().value());
    }
    return RunSource.rerun(run.id());
  }

  /**
   * What this runtime does not have is repeated as it was. Where no living process has the queue, the run is made with
   * a wakeup, as for a queue without a limit: a worker that comes obeys its own limit all the same.
   */
  private Future<NewRun> repeated(
      RunRecord run, RunSource source, Map<String, String> tags, RunActionOptions options) {
    if (context.registry().task(run.taskId()).isPresent()) {
      return Future.succeededFuture(newRuns.repeated(run, source, tags, options));
    }
    return requireElsewhere(run)
        .compose(known -> context.policyOf(run.queue()))
        .map(policy -> newRuns.repeated(
            run,
            policy.orElseGet(() -> QueuePolicy.unbounded(run.queue())),
            source,
            tags,
            options));
  }

  /** The payload satisfies what another process said of the task, which an operator's runtime need not know. */
  private Future<Void> requireElsewhere(RunRecord run) {
    return context.publishedTask(run.taskId()).map(known -> {
      if (known.isPresent()) {
        PublishedSchema.require(
            known.get().task(), run.payload().text(), context.options().payloadLimits());
      } else if (!context.registry().isOperatorOnly()) {
        throw RunlaneException.of(
            ErrorCode.TASK_NOT_FOUND,
            "task %s is not registered in this runtime, and no process says that it has it",
            run.taskId());
      }
      return null;
    });
  }

  private Future<Optional<RunRecord>> findActive(RunFilter filter) {
    RunFilter active = filter.withStatuses(ACTIVE);
    List<RunSummary> found = new ArrayList<>(1);
    return FutureLoop.pages(
            cursor -> list(active, RunSort.NEWEST_FIRST, 1, cursor).map(page -> {
              found.addAll(page.data());
              return found.isEmpty() ? page.nextCursor() : null;
            }))
        .compose(looked -> found.isEmpty()
            ? Future.succeededFuture(Optional.empty())
            : read(found.get(0).id()));
  }

  private Future<List<RunEventRecord>> history(RunEventFilter filter) {
    List<RunEventRecord> events = new ArrayList<>();
    return FutureLoop.pages(
            cursor -> events(filter, RunEventSort.HISTORY, ContractDefaults.MAX_PAGE_LIMIT, cursor)
                .map(page -> {
                  events.addAll(page.data());
                  return page.nextCursor();
                }))
        .map(read -> events);
  }

  private Future<Optional<RunRecord>> read(String runId) {
    return context.storage().getRun(new GetRun(context.environment(), runId));
  }

  private Future<RunRecord> require(String runId) {
    Identifiers.requireId("runId", runId);
    return read(runId)
        .map(run -> run.orElseThrow(
            () -> RunlaneException.of(ErrorCode.RUN_NOT_FOUND, "run %s does not exist", runId)));
  }

  private Future<Void> reading(String method) {
    return Future.<Void>succeededFuture().map(start -> {
      Capabilities.require(
          context.storage().capabilities(), StorageCapability.READS_RUN_HISTORY, method);
      if (!operatorReads) {
        throw RunlaneException.of(
            ErrorCode.CAPABILITY_UNSUPPORTED,
            "%s needs operator reads, which this lane does not offer",
            method);
      }
      return null;
    });
  }

  private static Set<RunStatus> terminal(Set<RunStatus> statuses) {
    for (RunStatus status : statuses) {
      if (status.isActive()) {
        throw RunlaneException.validationFailed(
            "only ended runs can be pruned, but %s is active", status.value());
      }
    }
    return statuses;
  }

  private static Instant cutoff(PruneOptions options, Instant now) {
    return options.cutoff().orElseGet(() -> options
        .age()
        .filter(age -> !age.isNegative() && age.compareTo(TriggerOptions.LONGEST_DELAY) <= 0)
        .map(now::minus)
        .orElseThrow(() -> RunlaneException.validationFailed(
            "the age of runs to prune must be between 0 and %s", TriggerOptions.LONGEST_DELAY)));
  }

  /** Where a child comes from, or a throw when the run cannot have one. */
  private interface Repetition {
    RunSource sourceOf(RunRecord run);
  }
}
