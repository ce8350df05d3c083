package dev.runlane.runtime.process;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.adapter.Subscription;
import dev.runlane.operator.OperatorStore;
import dev.runlane.run.Environment;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.CancellationSource;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.StorageClock;
import dev.runlane.storage.StorageSchema;
import dev.runlane.storage.limit.ListPublishedQueues;
import dev.runlane.storage.limit.PublishQueues;
import dev.runlane.storage.limit.PublishedQueue;
import dev.runlane.storage.limit.QueueLimitStorage;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
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
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import dev.runlane.storage.run.HeartbeatRunLease;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.PrunedRuns;
import dev.runlane.storage.run.ReleaseRunLease;
import dev.runlane.storage.run.ReserveRunDispatch;
import dev.runlane.storage.run.ResetIdempotencyKey;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.ClaimedOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.storage.schedule.GetScheduleOccurrence;
import dev.runlane.storage.schedule.KnownSchedule;
import dev.runlane.storage.schedule.PruneOccurrences;
import dev.runlane.storage.schedule.RegisterSchedules;
import dev.runlane.storage.schedule.ScheduleOccurrence;
import dev.runlane.storage.schedule.ScheduleStorage;
import dev.runlane.storage.step.ClaimDueSteps;
import dev.runlane.storage.step.ClaimedStep;
import dev.runlane.storage.step.ListPendingSteps;
import dev.runlane.storage.step.PendingStep;
import dev.runlane.storage.step.RemovePendingSteps;
import dev.runlane.storage.step.ReschedulePendingSteps;
import dev.runlane.storage.step.RetryStep;
import dev.runlane.storage.step.StepStorage;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Wraps the application's storage: what it throws, and null where an answer is promised, becomes a failed future.
 * Commands reach it with the limits of queues that hold among all processes.
 */
public final class GuardedStorage implements StorageAdapter {
  private final StorageAdapter storage;
  private final QueueLimits limits;

  /** @param limits what holds of the queues that commands name */
  public GuardedStorage(StorageAdapter storage, QueueLimits limits) {
    this.storage = storage;
    this.limits = limits;
  }

  @Override
  public Set<StorageCapability> capabilities() {
    return storage.capabilities();
  }

  @Override
  public Future<Void> start() {
    return AdapterCall.of("storage.start", storage::start);
  }

  @Override
  public Future<Void> close() {
    return AdapterCall.of("storage.close", storage::close);
  }

  @Override
  public Optional<BatchStorage> batch() {
    return storage.batch().map(Batch::new);
  }

  @Override
  public Optional<OutboxView> outbox() {
    return storage
        .outbox()
        .map(
            view -> query -> answer("outbox.outboxMessagesOf", () -> view.outboxMessagesOf(query)));
  }

  @Override
  public Optional<StepStorage> steps() {
    return storage.steps().map(Steps::new);
  }

  @Override
  public Optional<StorageClock> clock() {
    return clockOf(storage);
  }

  /** The clock that a storage shows, guarded likewise. */
  public static Optional<StorageClock> clockOf(StorageAdapter storage) {
    return storage.clock().map(clock -> () -> answer("clock.now", clock::now));
  }

  @Override
  public Optional<ScheduleStorage> schedules() {
    return storage.schedules().map(Schedules::new);
  }

  @Override
  public Optional<QueueLimitStorage> queueLimits() {
    return storage.queueLimits().map(PublishedLimits::new);
  }

  @Override
  public Optional<OperatorStore> operator() {
    return storage.operator().map(GuardedOperatorStore::new);
  }

  @Override
  public Optional<StorageSchema> schema() {
    return storage.schema().map(schema -> () -> answer("schema.verify", schema::verify));
  }

  @Override
  public Optional<CancellationSource> cancellations() {
    return storage.cancellations().map(Cancellations::new);
  }

  @Override
  public Optional<StorageAdapter> withWakeups(TransportAdapter transport) {
    return storage.withWakeups(transport).map(view -> new GuardedStorage(view, limits));
  }

  @Override
  public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
    return answer("storage.appendRunEvents", () -> storage.appendRunEvents(held(command)));
  }

  @Override
  public Future<Optional<RunRecord>> getRun(GetRun query) {
    return answer("storage.getRun", () -> storage.getRun(query));
  }

  @Override
  public Future<List<RunRecord>> getRuns(GetRuns query) {
    return answer("storage.getRuns", () -> storage.getRuns(query));
  }

  @Override
  public Future<List<RunSummary>> getRunSummaries(GetRuns query) {
    return answer("storage.getRunSummaries", () -> storage.getRunSummaries(query));
  }

  @Override
  public Future<Optional<RunRecord>> getRunByIdempotencyKey(GetRunByIdempotencyKey query) {
    return answer("storage.getRunByIdempotencyKey", () -> storage.getRunByIdempotencyKey(query));
  }

  @Override
  public Future<Void> resetIdempotencyKey(ResetIdempotencyKey command) {
    return AdapterCall.of(
        "storage.resetIdempotencyKey", () -> storage.resetIdempotencyKey(command));
  }

  @Override
  public Future<Page<RunSummary>> listRuns(ListRuns query) {
    return answer("storage.listRuns", () -> storage.listRuns(query));
  }

  @Override
  public Future<Page<RunEventRecord>> listRunEvents(ListRunEvents query) {
    return answer("storage.listRunEvents", () -> storage.listRunEvents(query));
  }

  @Override
  public Future<List<RunnableRunRef>> listRunnableRuns(ListRunnableRuns query) {
    return answer("storage.listRunnableRuns", () -> storage.listRunnableRuns(held(query)));
  }

  @Override
  public Future<List<RunnableRunRef>> listRunsNeedingDispatch(ListRunsNeedingDispatch query) {
    return answer(
        "storage.listRunsNeedingDispatch", () -> storage.listRunsNeedingDispatch(held(query)));
  }

  @Override
  public Future<List<RunnableRunRef>> listRunsNeedingCancellationFinalization(
      ListRunsNeedingCancellationFinalization query) {
    return answer(
        "storage.listRunsNeedingCancellationFinalization",
        () -> storage.listRunsNeedingCancellationFinalization(query));
  }

  @Override
  public Future<List<RunnableRunRef>> listRunsNeedingDelivery(ListRunsNeedingDelivery query) {
    ListRunsNeedingDelivery held = held(query);
    return held.queues().isEmpty()
        ? Future.succeededFuture(List.of())
        : answer("storage.listRunsNeedingDelivery", () -> storage.listRunsNeedingDelivery(held));
  }

  @Override
  public Future<Optional<AppendedRun>> reserveRunDispatch(ReserveRunDispatch command) {
    return answer("storage.reserveRunDispatch", () -> storage.reserveRunDispatch(held(command)));
  }

  @Override
  public Future<Optional<AppendedRun>> claimRunLease(ClaimRunLease command) {
    return answer("storage.claimRunLease", () -> storage.claimRunLease(held(command)));
  }

  @Override
  public Future<AppendedRun> heartbeatRunLease(HeartbeatRunLease command) {
    return answer("storage.heartbeatRunLease", () -> storage.heartbeatRunLease(command));
  }

  @Override
  public Future<Void> releaseRunLease(ReleaseRunLease command) {
    return AdapterCall.of("storage.releaseRunLease", () -> storage.releaseRunLease(command));
  }

  @Override
  public Future<Optional<ClaimedOccurrence>> claimScheduleOccurrence(
      ClaimScheduleOccurrence command) {
    return answer(
        "storage.claimScheduleOccurrence", () -> storage.claimScheduleOccurrence(command));
  }

  @Override
  public Future<Void> completeScheduleOccurrence(CompleteScheduleOccurrence command) {
    return AdapterCall.of(
        "storage.completeScheduleOccurrence", () -> storage.completeScheduleOccurrence(command));
  }

  @Override
  public Future<List<ClaimedOutboxMessage>> claimOutboxMessages(ClaimOutboxMessages command) {
    return answer("storage.claimOutboxMessages", () -> storage.claimOutboxMessages(command));
  }

  @Override
  public Future<Void> markOutboxMessagesPublished(MarkOutboxMessagesPublished command) {
    return AdapterCall.of(
        "storage.markOutboxMessagesPublished", () -> storage.markOutboxMessagesPublished(command));
  }

  @Override
  public Future<Void> markOutboxMessagesFailed(MarkOutboxMessagesFailed command) {
    return AdapterCall.of(
        "storage.markOutboxMessagesFailed", () -> storage.markOutboxMessagesFailed(command));
  }

  @Override
  public Future<Void> markOutboxMessagesDeadLettered(MarkOutboxMessagesDeadLettered command) {
    return AdapterCall.of(
        "storage.markOutboxMessagesDeadLettered",
        () -> storage.markOutboxMessagesDeadLettered(command));
  }

  @Override
  public Future<PrunedRuns> pruneRuns(PruneRuns command) {
    return answer("storage.pruneRuns", () -> storage.pruneRuns(command));
  }

  private AppendRunEvents held(AppendRunEvents command) {
    QueuePolicy policy = command.queuePolicy();
    return policy == null ? command : command.in(limits.holding(policy));
  }

  private ListRunnableRuns held(ListRunnableRuns query) {
    return new ListRunnableRuns(
        query.environment(),
        limits.holding(query.queues()),
        query.taskIds(),
        query.now(),
        query.limit());
  }

  private ListRunsNeedingDispatch held(ListRunsNeedingDispatch query) {
    return new ListRunsNeedingDispatch(
        query.environment(), limits.holding(query.queues()), query.now(), query.limit());
  }

  /** Queues stay out that have a limit by the word of other processes: to be named here says that they have none. */
  private ListRunsNeedingDelivery held(ListRunsNeedingDelivery query) {
    return new ListRunsNeedingDelivery(
        query.environment(),
        query.queues().stream()
            .filter(queue -> !limits.holding(QueuePolicy.unbounded(queue)).isBounded())
            .toList(),
        query.now(),
        query.limit());
  }

  private ReserveRunDispatch held(ReserveRunDispatch command) {
    return new ReserveRunDispatch(
        command.environment(),
        command.runId(),
        command.expectedSequence(),
        command.event(),
        command.projectedRun(),
        limits.holding(command.queuePolicy()),
        command.now());
  }

  private ClaimRunLease held(ClaimRunLease command) {
    return new ClaimRunLease(
        command.environment(),
        command.runId(),
        command.expectedSequence(),
        command.events(),
        command.projectedRun(),
        limits.holding(command.queuePolicy()),
        command.now());
  }

  /** Named runs stay out whose queue has a limit by the word of other processes: they are claimed one by one. */
  private ClaimRuns held(ClaimRuns command) {
    List<QueuePolicy> queues = limits.holding(command.queues());
    return new ClaimRuns(
        command.environment(),
        command.runIds() == null
            ? queues
            : queues.stream().filter(queue -> !queue.isBounded()).toList(),
        command.taskIds(),
        command.workerId(),
        command.leaseToken(),
        command.leaseFor(),
        command.now(),
        command.limit(),
        command.runIds());
  }

  private static <T> Future<T> answer(String method, Supplier<Future<T>> call) {
    return AdapterCall.of(method, call)
        .compose(value -> value != null
            ? Future.succeededFuture(value)
            : Future.failedFuture(RunlaneException.adapterContractViolation(
                "%s completed with null instead of an answer", method)));
  }

  /** The same for pending steps. */
  private record Steps(StepStorage steps) implements StepStorage {
    @Override
    public Future<List<ClaimedStep>> claimDueSteps(ClaimDueSteps command) {
      return answer("storage.claimDueSteps", () -> steps.claimDueSteps(command));
    }

    @Override
    public Future<Set<String>> reschedulePendingSteps(ReschedulePendingSteps command) {
      return answer("storage.reschedulePendingSteps", () -> steps.reschedulePendingSteps(command));
    }

    @Override
    public Future<Set<String>> removePendingSteps(RemovePendingSteps command) {
      return answer("storage.removePendingSteps", () -> steps.removePendingSteps(command));
    }

    @Override
    public Future<Boolean> retryStep(RetryStep command) {
      return answer("storage.retryStep", () -> steps.retryStep(command));
    }

    @Override
    public Future<List<PendingStep>> listPendingSteps(ListPendingSteps query) {
      return answer("storage.listPendingSteps", () -> steps.listPendingSteps(query));
    }
  }

  /** The same for schedules. */
  private record Schedules(ScheduleStorage schedules) implements ScheduleStorage {
    @Override
    public Future<List<KnownSchedule>> registerSchedules(RegisterSchedules command) {
      return answer("schedules.registerSchedules", () -> schedules.registerSchedules(command))
          .compose(known -> known.size() == command.schedules().size()
              ? Future.succeededFuture(known)
              : Future.failedFuture(RunlaneException.adapterContractViolation(
                  "schedules.registerSchedules answered %d schedules for %d",
                  known.size(), command.schedules().size())));
    }

    @Override
    public Future<Optional<ScheduleOccurrence>> getScheduleOccurrence(GetScheduleOccurrence query) {
      return answer(
          "schedules.getScheduleOccurrence", () -> schedules.getScheduleOccurrence(query));
    }

    @Override
    public Future<Integer> pruneOccurrences(PruneOccurrences command) {
      return answer("schedules.pruneOccurrences", () -> schedules.pruneOccurrences(command));
    }
  }

  /** The same for what processes publish. */
  private record PublishedLimits(QueueLimitStorage limits) implements QueueLimitStorage {
    @Override
    public Future<List<PublishedQueue>> publishQueues(PublishQueues command) {
      return answer("queueLimits.publishQueues", () -> limits.publishQueues(command));
    }

    @Override
    public Future<List<PublishedQueue>> publishAndCompare(PublishQueues command) {
      return answer("queueLimits.publishAndCompare", () -> limits.publishAndCompare(command));
    }

    @Override
    public Future<List<PublishedQueue>> listPublishedQueues(ListPublishedQueues query) {
      return answer("queueLimits.listPublishedQueues", () -> limits.listPublishedQueues(query));
    }
  }

  /** The same for news of runs. */
  private record Cancellations(CancellationSource source) implements CancellationSource {
    @Override
    public Future<Subscription> subscribe(Environment environment, Consumer<String> listener) {
      return answer("cancellations.subscribe", () -> source.subscribe(environment, listener));
    }

    @Override
    public Future<Void> notifyRunOwner(Environment environment, String runId) {
      return AdapterCall.of(
          "cancellations.notifyRunOwner", () -> source.notifyRunOwner(environment, runId));
    }
  }

  /** The same for batches. */
  private final class Batch implements BatchStorage {
    private final BatchStorage batch;

    Batch(BatchStorage batch) {
      this.batch = batch;
    }

    @Override
    public Future<List<CommandOutcome<AppendedRun>>> appendAll(List<AppendRunEvents> commands) {
      return answer(
              "storage.appendAll",
              () -> batch.appendAll(
                  commands.stream().map(GuardedStorage.this::held).toList()))
          .compose(outcomes -> {
            return outcomes.size() == commands.size()
                ? Future.succeededFuture(outcomes)
                : Future.failedFuture(RunlaneException.adapterContractViolation(
                    "storage.appendAll answered %d outcomes for %d commands",
                    outcomes.size(), commands.size()));
          });
    }

    @Override
    public Future<ClaimedRuns> claimRuns(ClaimRuns command) {
      return answer("storage.claimRuns", () -> batch.claimRuns(held(command)));
    }
  }
}
