package dev.runlane.runtime;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.run.Environment;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.AppendRunEvents;
import dev.runlane.storage.AppendedRun;
import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.CancellationSource;
import dev.runlane.storage.ClaimDueSteps;
import dev.runlane.storage.ClaimOutboxMessages;
import dev.runlane.storage.ClaimRunLease;
import dev.runlane.storage.ClaimRuns;
import dev.runlane.storage.ClaimScheduleOccurrence;
import dev.runlane.storage.ClaimedOccurrence;
import dev.runlane.storage.ClaimedOutboxMessage;
import dev.runlane.storage.ClaimedRuns;
import dev.runlane.storage.ClaimedStep;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.CompleteScheduleOccurrence;
import dev.runlane.storage.ForgetSteps;
import dev.runlane.storage.GetRun;
import dev.runlane.storage.GetRunByIdempotencyKey;
import dev.runlane.storage.GetRuns;
import dev.runlane.storage.GetScheduleOccurrence;
import dev.runlane.storage.HeartbeatRunLease;
import dev.runlane.storage.KnownSchedule;
import dev.runlane.storage.ListPendingSteps;
import dev.runlane.storage.ListPublishedQueues;
import dev.runlane.storage.ListRunEvents;
import dev.runlane.storage.ListRunnableRuns;
import dev.runlane.storage.ListRuns;
import dev.runlane.storage.ListRunsNeedingCancellationFinalization;
import dev.runlane.storage.ListRunsNeedingDelivery;
import dev.runlane.storage.ListRunsNeedingDispatch;
import dev.runlane.storage.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.MarkOutboxMessagesFailed;
import dev.runlane.storage.MarkOutboxMessagesPublished;
import dev.runlane.storage.MoveSteps;
import dev.runlane.storage.OutboxView;
import dev.runlane.storage.Page;
import dev.runlane.storage.PendingStep;
import dev.runlane.storage.PruneOccurrences;
import dev.runlane.storage.PruneRuns;
import dev.runlane.storage.PrunedRuns;
import dev.runlane.storage.PublishQueues;
import dev.runlane.storage.PublishedQueue;
import dev.runlane.storage.QueueLimitStorage;
import dev.runlane.storage.ReleaseRunLease;
import dev.runlane.storage.ReserveRunDispatch;
import dev.runlane.storage.ResetIdempotencyKey;
import dev.runlane.storage.RetryStep;
import dev.runlane.storage.RunEventRecord;
import dev.runlane.storage.RunSummary;
import dev.runlane.storage.RunnableRunRef;
import dev.runlane.storage.ScheduleOccurrence;
import dev.runlane.storage.ScheduleStorage;
import dev.runlane.storage.SeeSchedules;
import dev.runlane.storage.StepStorage;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.StorageClock;
import dev.runlane.transport.Subscription;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A storage somebody else wrote: what it throws, and null where an answer is promised, is a failed future. Commands
 * reach it with the limits of queues that hold among all processes.
 */
final class GuardedStorage implements StorageAdapter {
  private final StorageAdapter storage;
  private final QueueLimits limits;

  /** @param limits what holds of the queues that commands name */
  GuardedStorage(StorageAdapter storage, QueueLimits limits) {
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
  public Optional<CancellationSource> cancellations() {
    return storage.cancellations().map(Cancellations::new);
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
    return answer("storage.listRunsNeedingDelivery", () -> storage.listRunsNeedingDelivery(query));
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

  private ClaimRuns held(ClaimRuns command) {
    return new ClaimRuns(
        command.environment(),
        limits.holding(command.queues()),
        command.taskIds(),
        command.workerId(),
        command.leaseToken(),
        command.leaseFor(),
        command.now(),
        command.limit());
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
    public Future<Set<String>> moveSteps(MoveSteps command) {
      return answer("storage.moveSteps", () -> steps.moveSteps(command));
    }

    @Override
    public Future<Set<String>> forgetSteps(ForgetSteps command) {
      return answer("storage.forgetSteps", () -> steps.forgetSteps(command));
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
    public Future<List<KnownSchedule>> seeSchedules(SeeSchedules command) {
      return answer("schedules.seeSchedules", () -> schedules.seeSchedules(command))
          .compose(known -> known.size() == command.schedules().size()
              ? Future.succeededFuture(known)
              : Future.failedFuture(RunlaneException.adapterContractViolation(
                  "schedules.seeSchedules answered %d schedules for %d",
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
    public Future<Void> tell(Environment environment, String runId) {
      return AdapterCall.of("cancellations.tell", () -> source.tell(environment, runId));
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
