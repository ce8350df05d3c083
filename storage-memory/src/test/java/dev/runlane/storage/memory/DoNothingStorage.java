package dev.runlane.storage.memory;

import dev.runlane.run.RunRecord;
import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
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
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Takes every command, says it is done, and forgets it. */
final class DoNothingStorage implements StorageAdapter {
  @Override
  public Set<StorageCapability> capabilities() {
    return MemoryStorage.CAPABILITIES;
  }

  @Override
  public Optional<BatchStorage> batch() {
    return Optional.of(new DoNothingBatch());
  }

  @Override
  public Optional<OutboxView> outbox() {
    return Optional.of(query -> Future.succeededFuture(List.of()));
  }

  @Override
  public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
    return Future.succeededFuture(new AppendedRun(command.projectedRun(), List.of(), List.of()));
  }

  @Override
  public Future<Optional<RunRecord>> getRun(GetRun query) {
    return Future.succeededFuture(Optional.empty());
  }

  @Override
  public Future<List<RunRecord>> getRuns(GetRuns query) {
    return Future.succeededFuture(List.of());
  }

  @Override
  public Future<Optional<RunRecord>> getRunByIdempotencyKey(GetRunByIdempotencyKey query) {
    return Future.succeededFuture(Optional.empty());
  }

  @Override
  public Future<Void> resetIdempotencyKey(ResetIdempotencyKey command) {
    return Future.succeededFuture();
  }

  @Override
  public Future<Page<RunSummary>> listRuns(ListRuns query) {
    return Future.succeededFuture(new Page<>(List.of(), null));
  }

  @Override
  public Future<Page<RunEventRecord>> listRunEvents(ListRunEvents query) {
    return Future.succeededFuture(new Page<>(List.of(), null));
  }

  @Override
  public Future<List<RunnableRunRef>> listRunnableRuns(ListRunnableRuns query) {
    return Future.succeededFuture(List.of());
  }

  @Override
  public Future<List<RunnableRunRef>> listRunsNeedingDispatch(ListRunsNeedingDispatch query) {
    return Future.succeededFuture(List.of());
  }

  @Override
  public Future<List<RunnableRunRef>> listRunsNeedingCancellationFinalization(
      ListRunsNeedingCancellationFinalization query) {
    return Future.succeededFuture(List.of());
  }

  @Override
  public Future<List<RunnableRunRef>> listRunsNeedingDelivery(ListRunsNeedingDelivery query) {
    return Future.succeededFuture(List.of());
  }

  @Override
  public Future<Optional<AppendedRun>> reserveRunDispatch(ReserveRunDispatch command) {
    return Future.succeededFuture(Optional.empty());
  }

  @Override
  public Future<Optional<AppendedRun>> claimRunLease(ClaimRunLease command) {
    return Future.succeededFuture(Optional.empty());
  }

  @Override
  public Future<AppendedRun> heartbeatRunLease(HeartbeatRunLease command) {
    return Future.succeededFuture(new AppendedRun(command.projectedRun(), List.of(), List.of()));
  }

  @Override
  public Future<Void> releaseRunLease(ReleaseRunLease command) {
    return Future.succeededFuture();
  }

  @Override
  public Future<Optional<ClaimedOccurrence>> claimScheduleOccurrence(
      ClaimScheduleOccurrence command) {
    return Future.succeededFuture(Optional.empty());
  }

  @Override
  public Future<Void> completeScheduleOccurrence(CompleteScheduleOccurrence command) {
    return Future.succeededFuture();
  }

  @Override
  public Future<List<ClaimedOutboxMessage>> claimOutboxMessages(ClaimOutboxMessages command) {
    return Future.succeededFuture(List.of());
  }

  @Override
  public Future<Void> markOutboxMessagesPublished(MarkOutboxMessagesPublished command) {
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> markOutboxMessagesFailed(MarkOutboxMessagesFailed command) {
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> markOutboxMessagesDeadLettered(MarkOutboxMessagesDeadLettered command) {
    return Future.succeededFuture();
  }

  @Override
  public Future<PrunedRuns> pruneRuns(PruneRuns command) {
    return Future.succeededFuture(new PrunedRuns(0, null));
  }
}
