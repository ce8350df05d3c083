package dev.runlane.storage.memory;

import dev.runlane.run.RunRecord;
import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.CancellationSource;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
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
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Does what another storage does; subclasses break one thing. */
class ForwardingStorage implements StorageAdapter {
  final StorageAdapter real;

  ForwardingStorage(StorageAdapter real) {
    this.real = real;
  }

  @Override
  public Set<StorageCapability> capabilities() {
    return real.capabilities();
  }

  @Override
  public Future<Void> start() {
    return real.start();
  }

  @Override
  public Future<Void> close() {
    return real.close();
  }

  @Override
  public Optional<BatchStorage> batch() {
    return real.batch();
  }

  @Override
  public Optional<OutboxView> outbox() {
    return real.outbox();
  }

  @Override
  public Optional<StepStorage> steps() {
    return real.steps();
  }

  @Override
  public Optional<ScheduleStorage> schedules() {
    return real.schedules();
  }

  @Override
  public Optional<QueueLimitStorage> queueLimits() {
    return real.queueLimits();
  }

  @Override
  public Optional<CancellationSource> cancellations() {
    return real.cancellations();
  }

  @Override
  public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
    return real.appendRunEvents(command);
  }

  @Override
  public Future<Optional<RunRecord>> getRun(GetRun query) {
    return real.getRun(query);
  }

  @Override
  public Future<List<RunRecord>> getRuns(GetRuns query) {
    return real.getRuns(query);
  }

  @Override
  public Future<Optional<RunRecord>> getRunByIdempotencyKey(GetRunByIdempotencyKey query) {
    return real.getRunByIdempotencyKey(query);
  }

  @Override
  public Future<Void> resetIdempotencyKey(ResetIdempotencyKey command) {
    return real.resetIdempotencyKey(command);
  }

  @Override
  public Future<Page<RunSummary>> listRuns(ListRuns query) {
    return real.listRuns(query);
  }

  @Override
  public Future<Page<RunEventRecord>> listRunEvents(ListRunEvents query) {
    return real.listRunEvents(query);
  }

  @Override
  public Future<List<RunnableRunRef>> listRunnableRuns(ListRunnableRuns query) {
    return real.listRunnableRuns(query);
  }

  @Override
  public Future<List<RunnableRunRef>> listRunsNeedingDispatch(ListRunsNeedingDispatch query) {
    return real.listRunsNeedingDispatch(query);
  }

  @Override
  public Future<List<RunnableRunRef>> listRunsNeedingCancellationFinalization(
      ListRunsNeedingCancellationFinalization query) {
    return real.listRunsNeedingCancellationFinalization(query);
  }

  @Override
  public Future<List<RunnableRunRef>> listRunsNeedingDelivery(ListRunsNeedingDelivery query) {
    return real.listRunsNeedingDelivery(query);
  }

  @Override
  public Future<Optional<AppendedRun>> reserveRunDispatch(ReserveRunDispatch command) {
    return real.reserveRunDispatch(command);
  }

  @Override
  public Future<Optional<AppendedRun>> claimRunLease(ClaimRunLease command) {
    return real.claimRunLease(command);
  }

  @Override
  public Future<AppendedRun> heartbeatRunLease(HeartbeatRunLease command) {
    return real.heartbeatRunLease(command);
  }

  @Override
  public Future<Void> releaseRunLease(ReleaseRunLease command) {
    return real.releaseRunLease(command);
  }

  @Override
  public Future<Optional<ClaimedOccurrence>> claimScheduleOccurrence(
      ClaimScheduleOccurrence command) {
    return real.claimScheduleOccurrence(command);
  }

  @Override
  public Future<Void> completeScheduleOccurrence(CompleteScheduleOccurrence command) {
    return real.completeScheduleOccurrence(command);
  }

  @Override
  public Future<List<ClaimedOutboxMessage>> claimOutboxMessages(ClaimOutboxMessages command) {
    return real.claimOutboxMessages(command);
  }

  @Override
  public Future<Void> markOutboxMessagesPublished(MarkOutboxMessagesPublished command) {
    return real.markOutboxMessagesPublished(command);
  }

  @Override
  public Future<Void> markOutboxMessagesFailed(MarkOutboxMessagesFailed command) {
    return real.markOutboxMessagesFailed(command);
  }

  @Override
  public Future<Void> markOutboxMessagesDeadLettered(MarkOutboxMessagesDeadLettered command) {
    return real.markOutboxMessagesDeadLettered(command);
  }

  @Override
  public Future<PrunedRuns> pruneRuns(PruneRuns command) {
    return real.pruneRuns(command);
  }
}
