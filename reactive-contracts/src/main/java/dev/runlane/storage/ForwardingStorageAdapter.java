package dev.runlane.storage;

import dev.runlane.operator.OperatorStore;
import dev.runlane.run.RunRecord;
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
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Future;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Does what another storage does: the base of wrappers, which override what they change. Every method of the contract
 * goes to the delegate's own, those that are added later too.
 *
 * <p>What a wrapper minds:
 *
 * <ul>
 *   <li>{@link #batch()}, {@link #steps()} and the other optional parts are the delegate's own, and calls to them do
 *       not come through the wrapper: one that changes {@link #appendRunEvents} or {@link #claimRunLease} wraps the
 *       batch side too, or answers empty where callers can do without.
 *   <li>A capability is a promise of the wrapper's: one that keeps a method from doing what it should takes it out of
 *       {@link #capabilities()}, and the method fails with {@code CapabilityUnsupported}.
 *   <li>A method never throws: work of the wrapper's own belongs into {@link dev.runlane.adapter.AdapterCall}.
 *   <li>A malformed command is refused before anything is done, so a wrapper with side effects calls
 *       {@link CommandChecks} first.
 * </ul>
 */
public abstract class ForwardingStorageAdapter implements StorageAdapter {
  /** What is wrapped. */
  protected final StorageAdapter delegate;

  /** Starts nothing: the delegate is started when the wrapper is. */
  protected ForwardingStorageAdapter(StorageAdapter delegate) {
    this.delegate = Objects.requireNonNull(delegate);
  }

  @Override
  public Set<StorageCapability> capabilities() {
    return delegate.capabilities();
  }

  @Override
  public Future<Void> start() {
    return delegate.start();
  }

  @Override
  public Future<Void> close() {
    return delegate.close();
  }

  @Override
  public Optional<BatchStorage> batch() {
    return delegate.batch();
  }

  @Override
  public Optional<OutboxView> outbox() {
    return delegate.outbox();
  }

  @Override
  public Optional<StepStorage> steps() {
    return delegate.steps();
  }

  @Override
  public Optional<StorageClock> clock() {
    return delegate.clock();
  }

  @Override
  public Optional<ScheduleStorage> schedules() {
    return delegate.schedules();
  }

  @Override
  public Optional<QueueLimitStorage> queueLimits() {
    return delegate.queueLimits();
  }

  @Override
  public Optional<OperatorStore> operator() {
    return delegate.operator();
  }

  @Override
  public Optional<StorageSchema> schema() {
    return delegate.schema();
  }

  @Override
  public Optional<CancellationSource> cancellations() {
    return delegate.cancellations();
  }

  @Override
  public Optional<StorageAdapter> withWakeups(TransportAdapter transport) {
    return delegate.withWakeups(transport);
  }

  @Override
  public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
    return delegate.appendRunEvents(command);
  }

  @Override
  public Future<Optional<RunRecord>> getRun(GetRun query) {
    return delegate.getRun(query);
  }

  @Override
  public Future<List<RunRecord>> getRuns(GetRuns query) {
    return delegate.getRuns(query);
  }

  @Override
  public Future<List<RunSummary>> getRunSummaries(GetRuns query) {
    return delegate.getRunSummaries(query);
  }

  @Override
  public Future<Optional<RunRecord>> getRunByIdempotencyKey(GetRunByIdempotencyKey query) {
    return delegate.getRunByIdempotencyKey(query);
  }

  @Override
  public Future<Void> resetIdempotencyKey(ResetIdempotencyKey command) {
    return delegate.resetIdempotencyKey(command);
  }

  @Override
  public Future<Page<RunSummary>> listRuns(ListRuns query) {
    return delegate.listRuns(query);
  }

  @Override
  public Future<Page<RunEventRecord>> listRunEvents(ListRunEvents query) {
    return delegate.listRunEvents(query);
  }

  @Override
  public Future<List<RunnableRunRef>> listRunnableRuns(ListRunnableRuns query) {
    return delegate.listRunnableRuns(query);
  }

  @Override
  public Future<List<RunnableRunRef>> listRunsNeedingDispatch(ListRunsNeedingDispatch query) {
    return delegate.listRunsNeedingDispatch(query);
  }

  @Override
  public Future<List<RunnableRunRef>> listRunsNeedingCancellationFinalization(
      ListRunsNeedingCancellationFinalization query) {
    return delegate.listRunsNeedingCancellationFinalization(query);
  }

  @Override
  public Future<List<RunnableRunRef>> listRunsNeedingDelivery(ListRunsNeedingDelivery query) {
    return delegate.listRunsNeedingDelivery(query);
  }

  @Override
  public Future<Optional<AppendedRun>> reserveRunDispatch(ReserveRunDispatch command) {
    return delegate.reserveRunDispatch(command);
  }

  @Override
  public Future<Optional<AppendedRun>> claimRunLease(ClaimRunLease command) {
    return delegate.claimRunLease(command);
  }

  @Override
  public Future<AppendedRun> heartbeatRunLease(HeartbeatRunLease command) {
    return delegate.heartbeatRunLease(command);
  }

  @Override
  public Future<Void> releaseRunLease(ReleaseRunLease command) {
    return delegate.releaseRunLease(command);
  }

  @Override
  public Future<Optional<ClaimedOccurrence>> claimScheduleOccurrence(
      ClaimScheduleOccurrence command) {
    return delegate.claimScheduleOccurrence(command);
  }

  @Override
  public Future<Void> completeScheduleOccurrence(CompleteScheduleOccurrence command) {
    return delegate.completeScheduleOccurrence(command);
  }

  @Override
  public Future<List<ClaimedOutboxMessage>> claimOutboxMessages(ClaimOutboxMessages command) {
    return delegate.claimOutboxMessages(command);
  }

  @Override
  public Future<Void> markOutboxMessagesPublished(MarkOutboxMessagesPublished command) {
    return delegate.markOutboxMessagesPublished(command);
  }

  @Override
  public Future<Void> markOutboxMessagesFailed(MarkOutboxMessagesFailed command) {
    return delegate.markOutboxMessagesFailed(command);
  }

  @Override
  public Future<Void> markOutboxMessagesDeadLettered(MarkOutboxMessagesDeadLettered command) {
    return delegate.markOutboxMessagesDeadLettered(command);
  }

  @Override
  public Future<PrunedRuns> pruneRuns(PruneRuns command) {
    return delegate.pruneRuns(command);
  }
}
