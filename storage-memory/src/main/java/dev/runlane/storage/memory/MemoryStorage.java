package dev.runlane.storage.memory;

import static dev.runlane.storage.StorageCapability.CLAIMS_SCHEDULE_OCCURRENCES;
import static dev.runlane.storage.StorageCapability.ENFORCES_IDEMPOTENCY;
import static dev.runlane.storage.StorageCapability.ENFORCES_QUEUE_CONCURRENCY;
import static dev.runlane.storage.StorageCapability.LEASES_RUNS;
import static dev.runlane.storage.StorageCapability.PERSISTS_OUTBOX;
import static dev.runlane.storage.StorageCapability.PRUNES_RUNS;
import static dev.runlane.storage.StorageCapability.READS_RUN_HISTORY;

import dev.runlane.operator.OperatorStore;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.CancellationSource;
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.StorageClock;
import dev.runlane.storage.limit.QueueLimitStorage;
import dev.runlane.storage.memory.kept.OutboxRow;
import dev.runlane.storage.memory.kept.TaskKey;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.outbox.OutboxMessageState;
import dev.runlane.storage.outbox.OutboxView;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.GetRunByIdempotencyKey;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.ListRunsNeedingCancellationFinalization;
import dev.runlane.storage.read.ListRunsNeedingDelivery;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.RunnableRunRef;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.HeartbeatRunLease;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.PrunedRuns;
import dev.runlane.storage.run.ReleaseRunLease;
import dev.runlane.storage.run.ReserveRunDispatch;
import dev.runlane.storage.run.ResetIdempotencyKey;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.ClaimedOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.storage.schedule.ScheduleStorage;
import dev.runlane.storage.step.StepStorage;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import io.vertx.core.Future;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A storage in the memory of one process: the whole contract, lost with the process. Safe for callers on
 * any thread; futures are completed when a method returns, so callers go on where they are. Nothing
 * depends on a clock or on chance but the ids of outbox messages and tokens, which come from the {@link
 * Ids} given. Grows until {@link #pruneRuns} and {@link ScheduleStorage#pruneOccurrences}
 * remove what is old.
 */
public final class MemoryStorage implements StorageAdapter {
  /** Everything but {@link StorageCapability#DURABLE_STATE}. */
  public static final Set<StorageCapability> CAPABILITIES =
      Set.copyOf(EnumSet.complementOf(EnumSet.of(StorageCapability.DURABLE_STATE)));

  private final MemoryState state;
  private final Set<StorageCapability> capabilities;
  private final @Nullable Clock clock;

  /** An empty storage whose ids nobody can predict. */
  public MemoryStorage() {
    this(new Ids(Clock.system(), Randomness.system()));
  }

  /** An empty storage that takes the ids of outbox messages and claim tokens from {@code ids}. */
  public MemoryStorage(Ids ids) {
    this(new MemoryState(ids), CAPABILITIES, null);
  }

  /** The same, which shows {@code clock} as the one that processes compare their own with. */
  public MemoryStorage(Ids ids, Clock clock) {
    this(new MemoryState(ids), CAPABILITIES, clock);
  }

  private MemoryStorage(
      MemoryState state, Set<StorageCapability> capabilities, @Nullable Clock clock) {
    this.state = state;
    this.capabilities = capabilities;
    this.clock = clock;
  }

  /**
   * A storage over the same data that reports other capabilities and refuses what they do not cover.
   * Throws {@link ErrorCode#CONFIGURATION_INVALID} when it was to report one that this class lacks.
   */
  public MemoryStorage reporting(Set<StorageCapability> reported) {
    if (!CAPABILITIES.containsAll(reported)) {
      throw RunlaneException.configurationInvalid(
          "a storage in memory offers %s, but was to report %s",
          EnumSet.copyOf(CAPABILITIES), reported);
    }
    return new MemoryStorage(state, Set.copyOf(reported), clock);
  }

  @Override
  public Set<StorageCapability> capabilities() {
    return capabilities;
  }

  @Override
  public Optional<StorageClock> clock() {
    return Optional.ofNullable(clock).map(shown -> () -> Future.succeededFuture(shown.now()));
  }

  @Override
  public Optional<BatchStorage> batch() {
    return Optional.of(new MemoryBatch(state, capabilities));
  }

  @Override
  public Optional<OutboxView> outbox() {
    return Optional.of(this::outboxMessagesOf);
  }

  @Override
  public Optional<StepStorage> steps() {
    return Optional.of(new MemorySteps(state, capabilities));
  }

  @Override
  public Optional<ScheduleStorage> schedules() {
    return Optional.of(new MemorySchedules(state, capabilities));
  }

  @Override
  public Optional<QueueLimitStorage> queueLimits() {
    return Optional.of(new MemoryQueueLimits(state));
  }

  @Override
  public Optional<OperatorStore> operator() {
    return Optional.of(new MemoryOperatorStore(state, capabilities));
  }

  @Override
  public Optional<CancellationSource> cancellations() {
    return Optional.of(state.cancellations());
  }

  @Override
  public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
    return state.call("appendRunEvents", () -> {
      CommandChecks.check(command);
      Capabilities.requireForAppend(capabilities, command);
      AppendedRun appended =
          state.in(command.environment(), scope -> scope.appends.append(command));
      state.announce(command);
      return appended;
    });
  }

  @Override
  public Future<Optional<RunRecord>> getRun(GetRun query) {
    return state.call("getRun", () -> {
      CommandChecks.check(query);
      return state.in(
          query.environment(), scope -> Optional.ofNullable(scope.runs.get(query.runId())));
    });
  }

  @Override
  public Future<List<RunRecord>> getRuns(GetRuns query) {
    return state.call("getRuns", () -> {
      CommandChecks.check(query);
      return state.in(query.environment(), scope -> query.runIds().stream()
          .flatMap(id -> Stream.ofNullable(scope.runs.get(id)))
          .toList());
    });
  }

  @Override
  public Future<Optional<RunRecord>> getRunByIdempotencyKey(GetRunByIdempotencyKey query) {
    return state.call("getRunByIdempotencyKey", () -> {
      CommandChecks.check(query);
      require(ENFORCES_IDEMPOTENCY, "getRunByIdempotencyKey");
      TaskKey key = new TaskKey(query.taskId(), query.idempotencyKey());
      return state.in(query.environment(), scope -> scope.owners.ownerOf(key, query.now()));
    });
  }

  @Override
  public Future<Void> resetIdempotencyKey(ResetIdempotencyKey command) {
    return state.call("resetIdempotencyKey", () -> {
      CommandChecks.check(command);
      require(ENFORCES_IDEMPOTENCY, "resetIdempotencyKey");
      TaskKey key = new TaskKey(command.taskId(), command.idempotencyKey());
      return state.change(command.environment(), scope -> scope.owners.reset(key));
    });
  }

  @Override
  public Future<Page<RunSummary>> listRuns(ListRuns query) {
    return state.call("listRuns", () -> {
      CommandChecks.check(query);
      require(READS_RUN_HISTORY, "listRuns");
      return state.in(query.environment(), scope -> scope.lists.runs(query));
    });
  }

  @Override
  public Future<Page<RunEventRecord>> listRunEvents(ListRunEvents query) {
    return state.call("listRunEvents", () -> {
      CommandChecks.check(query);
      require(READS_RUN_HISTORY, "listRunEvents");
      return state.in(query.environment(), scope -> scope.lists.events(query));
    });
  }

  @Override
  public Future<List<RunnableRunRef>> listRunnableRuns(ListRunnableRuns query) {
    return state.call("listRunnableRuns", () -> {
      CommandChecks.check(query);
      require(LEASES_RUNS, "listRunnableRuns");
      Capabilities.requireForQueues(capabilities, query.queues(), "listRunnableRuns");
      return state.in(query.environment(), scope -> scope.scans.runnable(query));
    });
  }

  @Override
  public Future<List<RunnableRunRef>> listRunsNeedingDispatch(ListRunsNeedingDispatch query) {
    return state.call("listRunsNeedingDispatch", () -> {
      CommandChecks.check(query);
      require(ENFORCES_QUEUE_CONCURRENCY, "listRunsNeedingDispatch");
      return state.in(query.environment(), scope -> scope.scans.needingDispatch(query));
    });
  }

  @Override
  public Future<List<RunnableRunRef>> listRunsNeedingCancellationFinalization(
      ListRunsNeedingCancellationFinalization query) {
    return state.call("listRunsNeedingCancellationFinalization", () -> {
      CommandChecks.check(query);
      require(LEASES_RUNS, "listRunsNeedingCancellationFinalization");
      return state.in(
          query.environment(), scope -> scope.scans.needingCancellationFinalization(query));
    });
  }

  @Override
  public Future<List<RunnableRunRef>> listRunsNeedingDelivery(ListRunsNeedingDelivery query) {
    return state.call("listRunsNeedingDelivery", () -> {
      CommandChecks.check(query);
      require(PERSISTS_OUTBOX, "listRunsNeedingDelivery");
      return state.in(query.environment(), scope -> scope.scans.needingDelivery(query));
    });
  }

  @Override
  public Future<Optional<AppendedRun>> reserveRunDispatch(ReserveRunDispatch command) {
    return state.call("reserveRunDispatch", () -> {
      CommandChecks.check(command);
      require(ENFORCES_QUEUE_CONCURRENCY, "reserveRunDispatch");
      return state.in(command.environment(), scope -> scope.leases.reserve(command));
    });
  }

  @Override
  public Future<Optional<AppendedRun>> claimRunLease(ClaimRunLease command) {
    return state.call("claimRunLease", () -> {
      CommandChecks.check(command);
      require(LEASES_RUNS, "claimRunLease");
      List<QueuePolicy> queues = List.of(command.queuePolicy());
      Capabilities.requireForQueues(capabilities, queues, "claimRunLease");
      return state.in(command.environment(), scope -> scope.leases.claim(command));
    });
  }

  @Override
  public Future<AppendedRun> heartbeatRunLease(HeartbeatRunLease command) {
    return state.call("heartbeatRunLease", () -> {
      CommandChecks.check(command);
      require(LEASES_RUNS, "heartbeatRunLease");
      return state.in(command.environment(), scope -> scope.leases.heartbeat(command));
    });
  }

  @Override
  public Future<Void> releaseRunLease(ReleaseRunLease command) {
    return state.call("releaseRunLease", () -> {
      CommandChecks.check(command);
      require(LEASES_RUNS, "releaseRunLease");
      return state.change(command.environment(), scope -> scope.leases.release(command));
    });
  }

  @Override
  public Future<Optional<ClaimedOccurrence>> claimScheduleOccurrence(
      ClaimScheduleOccurrence command) {
    return state.call("claimScheduleOccurrence", () -> {
      CommandChecks.check(command);
      require(CLAIMS_SCHEDULE_OCCURRENCES, "claimScheduleOccurrence");
      return state.in(command.environment(), scope -> scope.occurrences.claim(command));
    });
  }

  @Override
  public Future<Void> completeScheduleOccurrence(CompleteScheduleOccurrence command) {
    return state.call("completeScheduleOccurrence", () -> {
      CommandChecks.check(command);
      require(CLAIMS_SCHEDULE_OCCURRENCES, "completeScheduleOccurrence");
      return state.change(
          command.environment(),
          scope -> scope.schedules.completed(scope.occurrences.complete(command)));
    });
  }

  @Override
  public Future<List<ClaimedOutboxMessage>> claimOutboxMessages(ClaimOutboxMessages command) {
    return state.call("claimOutboxMessages", () -> {
      CommandChecks.check(command);
      require(PERSISTS_OUTBOX, "claimOutboxMessages");
      return state.in(command.environment(), scope -> scope.outboxMarks.claim(command));
    });
  }

  @Override
  public Future<Void> markOutboxMessagesPublished(MarkOutboxMessagesPublished command) {
    return state.call("markOutboxMessagesPublished", () -> {
      CommandChecks.check(command);
      require(PERSISTS_OUTBOX, "markOutboxMessagesPublished");
      return state.change(command.environment(), scope -> scope.outboxMarks.published(command));
    });
  }

  @Override
  public Future<Void> markOutboxMessagesFailed(MarkOutboxMessagesFailed command) {
    return state.call("markOutboxMessagesFailed", () -> {
      CommandChecks.check(command);
      require(PERSISTS_OUTBOX, "markOutboxMessagesFailed");
      return state.change(command.environment(), scope -> scope.outboxMarks.failed(command));
    });
  }

  @Override
  public Future<Void> markOutboxMessagesDeadLettered(MarkOutboxMessagesDeadLettered command) {
    return state.call("markOutboxMessagesDeadLettered", () -> {
      CommandChecks.check(command);
      require(PERSISTS_OUTBOX, "markOutboxMessagesDeadLettered");
      return state.change(command.environment(), scope -> scope.outboxMarks.deadLettered(command));
    });
  }

  @Override
  public Future<PrunedRuns> pruneRuns(PruneRuns command) {
    return state.call("pruneRuns", () -> {
      CommandChecks.check(command);
      require(PRUNES_RUNS, "pruneRuns");
      return state.in(command.environment(), scope -> scope.pruning.prune(command));
    });
  }

  private Future<List<OutboxMessageState>> outboxMessagesOf(GetRun query) {
    return state.call("outboxMessagesOf", () -> {
      CommandChecks.check(query);
      require(PERSISTS_OUTBOX, "outboxMessagesOf");
      return state.in(query.environment(), scope -> scope.outbox.of(query.runId()).stream()
          .map(OutboxRow::toState)
          .toList());
    });
  }

  private void require(StorageCapability needed, String method) {
    Capabilities.require(capabilities, needed, method);
  }
}
