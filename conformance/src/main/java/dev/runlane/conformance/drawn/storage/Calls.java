package dev.runlane.conformance.drawn.storage;

import dev.runlane.conformance.model.AppendAll;
import dev.runlane.conformance.model.LookAtOutbox;
import dev.runlane.conformance.model.PruneAndLook;
import dev.runlane.conformance.model.StorageModel;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.limit.ListPublishedQueues;
import dev.runlane.storage.limit.PublishQueues;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.GetRunByIdempotencyKey;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.ListRunsNeedingCancellationFinalization;
import dev.runlane.storage.read.ListRunsNeedingDelivery;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.HeartbeatRunLease;
import dev.runlane.storage.run.ReleaseRunLease;
import dev.runlane.storage.run.ReserveRunDispatch;
import dev.runlane.storage.run.ResetIdempotencyKey;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.storage.schedule.GetScheduleOccurrence;
import dev.runlane.storage.schedule.PruneOccurrences;
import dev.runlane.storage.schedule.RegisterSchedules;
import dev.runlane.storage.step.ClaimDueSteps;
import dev.runlane.storage.step.ListPendingSteps;
import dev.runlane.storage.step.RemovePendingSteps;
import dev.runlane.storage.step.ReschedulePendingSteps;
import dev.runlane.storage.step.RetryStep;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Which method of the model and which of a storage a command is for. */
public final class Calls {
  private static final Map<Class<?>, Call<Object, @Nullable Object>> CALLS = new HashMap<>();

  static {
    add(AppendRunEvents.class, StorageModel::append, StorageAdapter::appendRunEvents);
    add(AppendAll.class, StorageModel::appendAll, (storage, batch) -> batch(storage)
        .appendAll(batch.commands()));
    addFree(
        ReserveRunDispatch.class,
        (model, command, answer) -> model.reserve(command, answer != null && answer.isEmpty()),
        StorageAdapter::reserveRunDispatch);
    addFree(
        ClaimRunLease.class,
        (model, command, answer) -> model.claim(command, answer != null && answer.isEmpty()),
        StorageAdapter::claimRunLease);
    addFree(ClaimRuns.class, StorageModel::claimRuns, (storage, command) -> batch(storage)
        .claimRuns(command));
    add(HeartbeatRunLease.class, StorageModel::heartbeat, StorageAdapter::heartbeatRunLease);
    add(ReleaseRunLease.class, StorageModel::release, StorageAdapter::releaseRunLease);
    add(ResetIdempotencyKey.class, StorageModel::reset, StorageAdapter::resetIdempotencyKey);
    addFree(PruneAndLook.class, StorageModel::prune, Calls::prune);

    add(GetRun.class, (model, query) -> model.reads.run(query), StorageAdapter::getRun);
    add(GetRuns.class, (model, query) -> model.reads.runs(query), StorageAdapter::getRuns);
    add(
        GetRunByIdempotencyKey.class,
        StorageModel::ownerOf,
        StorageAdapter::getRunByIdempotencyKey);
    add(ListRuns.class, (model, query) -> model.reads.list(query), StorageAdapter::listRuns);
    add(
        ListRunEvents.class,
        (model, query) -> model.reads.list(query),
        StorageAdapter::listRunEvents);
    add(
        ListRunnableRuns.class,
        (model, query) -> model.reads.runnable(query),
        StorageAdapter::listRunnableRuns);
    add(
        ListRunsNeedingDispatch.class,
        (model, query) -> model.reads.needingDispatch(query),
        StorageAdapter::listRunsNeedingDispatch);
    add(
        ListRunsNeedingDelivery.class,
        (model, query) -> model.reads.needingDelivery(query),
        StorageAdapter::listRunsNeedingDelivery);
    add(
        ListRunsNeedingCancellationFinalization.class,
        (model, query) -> model.reads.needingCancellation(query),
        StorageAdapter::listRunsNeedingCancellationFinalization);

    addFree(
        ClaimOutboxMessages.class,
        (model, command, answer) -> model.outbox.claim(command, answer),
        StorageAdapter::claimOutboxMessages);
    add(
        MarkOutboxMessagesPublished.class,
        (model, command) -> model.outbox.published(command),
        StorageAdapter::markOutboxMessagesPublished);
    add(
        MarkOutboxMessagesFailed.class,
        (model, command) -> model.outbox.failed(command),
        StorageAdapter::markOutboxMessagesFailed);
    add(
        MarkOutboxMessagesDeadLettered.class,
        (model, command) -> model.outbox.deadLettered(command),
        StorageAdapter::markOutboxMessagesDeadLettered);
    addFree(
        LookAtOutbox.class,
        (model, look, answer) -> model.outbox.look(look, answer),
        (storage, look) -> storage.outbox().orElseThrow().outboxMessagesOf(look.query()));

    add(
        ClaimScheduleOccurrence.class,
        (model, command) -> model.occurrences.claim(command),
        StorageAdapter::claimScheduleOccurrence);
    add(
        CompleteScheduleOccurrence.class,
        (model, command) -> model.occurrences.complete(command),
        StorageAdapter::completeScheduleOccurrence);
    add(
        GetScheduleOccurrence.class,
        (model, query) -> model.occurrences.get(query),
        (storage, query) -> storage.schedules().orElseThrow().getScheduleOccurrence(query));

    addFree(
        ClaimDueSteps.class,
        (model, command, answer) -> model.steps.claim(command, answer),
        (storage, command) -> storage.steps().orElseThrow().claimDueSteps(command));
    add(
        ReschedulePendingSteps.class,
        (model, command) -> model.steps.move(command),
        (storage, command) -> storage.steps().orElseThrow().reschedulePendingSteps(command));
    add(
        RemovePendingSteps.class,
        (model, command) -> model.steps.forget(command),
        (storage, command) -> storage.steps().orElseThrow().removePendingSteps(command));
    add(
        RetryStep.class,
        (model, command) -> model.steps.retry(command),
        (storage, command) -> storage.steps().orElseThrow().retryStep(command));
    add(
        ListPendingSteps.class,
        (model, query) -> model.steps.list(query),
        (storage, query) -> storage.steps().orElseThrow().listPendingSteps(query));

    add(
        PublishQueues.class,
        (model, command) -> model.queues.publish(command),
        (storage, command) -> storage.queueLimits().orElseThrow().publishQueues(command));
    add(
        ListPublishedQueues.class,
        (model, query) -> model.queues.list(query),
        (storage, query) -> storage.queueLimits().orElseThrow().listPublishedQueues(query));

    add(
        RegisterSchedules.class,
        (model, command) -> model.schedules.register(command),
        (storage, command) -> storage.schedules().orElseThrow().registerSchedules(command));
    add(
        PruneOccurrences.class,
        (model, command) -> model.schedules.prune(command),
        (storage, command) -> storage.schedules().orElseThrow().pruneOccurrences(command));
    OperatorCalls.addAll();
  }

  private Calls() {}

  /** The method that takes a command. */
  public static Call<Object, @Nullable Object> of(Object command) {
    Call<Object, @Nullable Object> call = CALLS.get(command.getClass());
    if (call == null) {
      throw new IllegalArgumentException("no storage takes a " + command.getClass());
    }
    return call;
  }

  /**
   * One method of the contract.
   *
   * @param storage asks a storage
   * @param model says what it should have answered
   * @param <C> the command
   * @param <A> the answer
   */
  public record Call<C, A extends @Nullable Object>(
      BiFunction<StorageAdapter, C, Future<A>> storage, Expectation<C, A> model) {}

  /**
   * The right answer, which is the storage's where it may choose.
   *
   * @param <C> the command
   * @param <A> the answer
   */
  public interface Expectation<C, A extends @Nullable Object> {
    /** {@code answer} is null where the storage failed. */
    @Nullable
    Object of(StorageModel model, C command, @Nullable A answer);
  }

  private static <C, A extends @Nullable Object> void add(
      Class<C> command,
      BiFunction<StorageModel, C, ? extends @Nullable Object> model,
      BiFunction<StorageAdapter, C, Future<A>> storage) {
    addFree(command, (of, given, answer) -> model.apply(of, given), storage);
  }

  @SuppressWarnings("unchecked") // a call is looked up by the class of its command
  static <C, A extends @Nullable Object> void addFree(
      Class<C> command, Expectation<C, A> model, BiFunction<StorageAdapter, C, Future<A>> storage) {
    CALLS.put(command, (Call<Object, @Nullable Object>) (Call<?, ?>) new Call<>(storage, model));
  }

  private static BatchStorage batch(StorageAdapter storage) {
    return storage.batch().orElseThrow();
  }

  private static Future<PruneAndLook.Answer> prune(StorageAdapter storage, PruneAndLook command) {
    return storage.pruneRuns(command.prune()).compose(pruned -> storage
        .getRuns(new GetRuns(command.prune().environment(), command.runIds()))
        .map(left ->
            new PruneAndLook.Answer(pruned, left.stream().map(RunRecord::id).toList())));
  }
}
