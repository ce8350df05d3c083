package dev.runlane.storage.memory;

import dev.runlane.run.RunRecord;
import dev.runlane.storage.AppendRunEvents;
import dev.runlane.storage.AppendedRun;
import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.ClaimOutboxMessages;
import dev.runlane.storage.ClaimRunLease;
import dev.runlane.storage.ClaimScheduleOccurrence;
import dev.runlane.storage.ClaimedOccurrence;
import dev.runlane.storage.ClaimedOutboxMessage;
import dev.runlane.storage.CompleteScheduleOccurrence;
import dev.runlane.storage.GetRun;
import dev.runlane.storage.GetRunByIdempotencyKey;
import dev.runlane.storage.GetRuns;
import dev.runlane.storage.HeartbeatRunLease;
import dev.runlane.storage.ListRunEvents;
import dev.runlane.storage.ListRunnableRuns;
import dev.runlane.storage.ListRuns;
import dev.runlane.storage.ListRunsNeedingCancellationFinalization;
import dev.runlane.storage.ListRunsNeedingDelivery;
import dev.runlane.storage.ListRunsNeedingDispatch;
import dev.runlane.storage.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.MarkOutboxMessagesFailed;
import dev.runlane.storage.MarkOutboxMessagesPublished;
import dev.runlane.storage.OutboxView;
import dev.runlane.storage.Page;
import dev.runlane.storage.PruneRuns;
import dev.runlane.storage.PrunedRuns;
import dev.runlane.storage.ReleaseRunLease;
import dev.runlane.storage.ReserveRunDispatch;
import dev.runlane.storage.ResetIdempotencyKey;
import dev.runlane.storage.RunEventRecord;
import dev.runlane.storage.RunSummary;
import dev.runlane.storage.RunnableRunRef;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
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
