package dev.runlane.storage;

import dev.runlane.operator.OperatorStore;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.StorageConflictKind;
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
import java.util.Optional;
import java.util.Set;

/**
 * Durable truth: events, projections, leases, ownership of keys, schedule occurrences and the outbox.
 *
 * <p>Rules that hold for every method:
 *
 * <ul>
 *   <li>Every failure, of validation too, comes through the future; a method never throws.
 *   <li>Malformed input fails with {@link ErrorCode#VALIDATION_FAILED} before anything is stored, a
 *       backend outage with a retryable {@link ErrorCode#STORAGE_UNAVAILABLE}.
 *   <li>Decisions about time use the command's {@code now}, never a clock of the backend.
 *   <li>Instants are kept in microseconds: every command cuts its own, bounds of filters and cutoffs too, and
 *       the end of a claim is cut after its duration was added.
 *   <li>Where instants are equal, ids decide, in {@link dev.runlane.run.Identifiers#ORDER the order of their
 *       code points}. No list or scan is ordered by an instant that may be absent.
 *   <li>Returned records share nothing mutable with the adapter or the caller.
 *   <li>A method whose capability is not reported fails with {@link ErrorCode#CAPABILITY_UNSUPPORTED}.
 *   <li>"Lost the race, carry on" is an empty result; "you no longer own this" is a failure. A claim or a
 *       reservation may lose to whoever holds the run or its partition in that moment, even if that one loses too:
 *       the scans show the run again.
 * </ul>
 */
public interface StorageAdapter {
  /** What this storage promises; the same set during its whole life. */
  Set<StorageCapability> capabilities();

  /** Opens pools and clients; completes when commands can be served. Starting twice is harmless. */
  default Future<Void> start() {
    return Future.succeededFuture();
  }

  /** Closes what {@link #start()} opened. Closing twice is harmless. */
  default Future<Void> close() {
    return Future.succeededFuture();
  }

  /** Many commands in one call, if this storage can do better than one at a time. */
  default Optional<BatchStorage> batch() {
    return Optional.empty();
  }

  /** What became of a run's wakeups, if this storage shows it. */
  default Optional<OutboxView> outbox() {
    return Optional.empty();
  }

  /** What remote steps wait for, if this storage keeps it. */
  default Optional<StepStorage> steps() {
    return Optional.empty();
  }

  /** The clock that processes compare their own with, if this storage shows one. */
  default Optional<StorageClock> clock() {
    return Optional.empty();
  }

  /** What this storage remembers of schedules, if it does. */
  default Optional<ScheduleStorage> schedules() {
    return Optional.empty();
  }

  /** Where processes tell one another their queues' limits, if this storage keeps that. */
  default Optional<QueueLimitStorage> queueLimits() {
    return Optional.empty();
  }

  /** What an operator is shown and does beside the runs, if this storage keeps it. */
  default Optional<OperatorStore> operator() {
    return Optional.empty();
  }

  /** Looks whether its tables are as this release needs them, if this storage has any. */
  default Optional<StorageSchema> schema() {
    return Optional.empty();
  }

  /** Where this storage notifies other processes of cancellation requests, if it does. */
  default Optional<CancellationSource> cancellations() {
    return Optional.empty();
  }

  /**
   * This storage, with the wakeups of the runs it creates sent over {@code transport} by itself; empty where it cannot,
   * as with every transport that does not share its own backend.
   *
   * <p>In the view, a run that is created without a first lease and is due at once gets no outbox message: its wakeup
   * counts as published. Soon after the commit, and only then, processes that listen to the transport learn of its
   * queue; runs of one queue may share a wakeup that names one of them, and runs of bounded queues are reported too. A
   * wakeup that cannot be sent is sent later, as long as this process lives; where it dies between, polls of workers
   * find the run. Whatever is due later, and every other command, is as in the storage itself.
   *
   * <p>Starting the view does nothing. Closing it completes when no wakeup is on its way any more, or the last one
   * could not be sent, and closes nothing.
   */
  default Optional<StorageAdapter> withWakeups(TransportAdapter transport) {
    return Optional.empty();
  }

  /**
   * Stores in one atomic step: the events, the projection, changes of key ownership, and one outbox
   * message for each delivery request. The returned events are the very rows of the history.
   *
   * <p>The stored sequence is compared before anything else about the projection is looked at: a stale
   * command fails with {@link StorageConflictKind#EVENT_SEQUENCE} even if it is also inconsistent.
   * Creating a run that exists is stale too, and so is an append to one that does not exist. Of several
   * commands for one sequence exactly one wins.
   *
   * <p>Of a command that names the lease it needs, that lease is looked at first, by token and worker: where it is not
   * in force the command fails with {@link StorageConflictKind#LEASE_OWNERSHIP}, at whatever sequence the run is. A
   * database that was restored, or lost its last commits in a failover, gives sequences out again.
   *
   * <p>Fails with {@link ErrorCode#STORAGE_CONFLICT} of kind {@code IDEMPOTENCY_KEY} or {@code
   * SINGLETON_KEY} when another run owns the key, naming it in the failure's meta under {@code
   * ownerRunId}; of kind {@code QUEUE_CAPACITY} when the command creates a run with its first lease in a
   * bounded queue without a free slot; with {@link ErrorCode#ADAPTER_CONTRACT_VIOLATION} when command,
   * events and projection do not fit together. In each case nothing is stored.
   */
  Future<AppendedRun> appendRunEvents(AppendRunEvents command);

  /** The run as it is now, or empty when it does not exist. */
  Future<Optional<RunRecord>> getRun(GetRun query);

  /**
   * The runs as they are now, in the order asked for; missing ones are left out, doubled ids are not. Fails with
   * {@link ErrorCode#INVARIANT_VIOLATION} where one of them cannot be read, such as one of a later release: whoever
   * asks for many then asks for fewer.
   */
  Future<List<RunRecord>> getRuns(GetRuns query);

  /**
   * What a list shows of the runs, as {@link #getRuns} answers them; a storage reads nothing of them that may be large.
   */
  default Future<List<RunSummary>> getRunSummaries(GetRuns query) {
    return getRuns(query).map(runs -> runs.stream().map(RunSummary::of).toList());
  }

  /**
   * The run that owns an idempotency key: an active one, or a terminal one whose retention has not
   * passed; else empty. Changes nothing, not even an owner whose time is over.
   */
  Future<Optional<RunRecord>> getRunByIdempotencyKey(GetRunByIdempotencyKey query);

  /**
   * Gives up a terminal run's ownership of an idempotency key. An unknown key is no failure. Fails with
   * {@link StorageConflictKind#IDEMPOTENCY_KEY} while the owner is active.
   */
  Future<Void> resetIdempotencyKey(ResetIdempotencyKey command);

  /**
   * One page of runs without payloads, in a stable order that also tells equal timestamps apart. Fails
   * with {@link ErrorCode#VALIDATION_FAILED} on a limit below 1 and on a cursor that is malformed or was
   * given out for another filter or sort. A limit above the maximum is cut to it.
   */
  Future<Page<RunSummary>> listRuns(ListRuns query);

  /**
   * One page of history, heartbeats included. Sorting by sequence needs a run id. Fails as {@link
   * #listRuns} does.
   */
  Future<Page<RunEventRecord>> listRunEvents(ListRunEvents query);

  /**
   * Runs that a worker may claim at {@code now}, by the instant from which it may: due queued,
   * scheduled, retrying and released ones and running ones whose lease has expired. Runs of a bounded
   * queue whose partition has no slot for them are left out before the limit is applied, and so are those
   * whose dispatch reservation has expired until they are reserved anew; in a queue without a limit reservations
   * mean nothing. Runs of a queue that has just got or lost its limit may be left out, where other queues are named
   * too, for as long as the storage takes to count them anew.
   */
  Future<List<RunnableRunRef>> listRunnableRuns(ListRunnableRuns query);

  /**
   * Due runs of bounded queues, expired leases included, that hold no live reservation and whose
   * partition has a slot for them; capacity is looked at before the limit. A run whose reservation has
   * expired is due, and takes its place in the order, from that expiry on. Of a queue with very many partitions an
   * answer may be from some of them, and the next one from those behind; one of fewer than the limit has all there are,
   * but for queues that are left out as by {@link #listRunnableRuns}.
   */
  Future<List<RunnableRunRef>> listRunsNeedingDispatch(ListRunsNeedingDispatch query);

  /** Runs that were asked to cancel and whose lease has expired. */
  Future<List<RunnableRunRef>> listRunsNeedingCancellationFinalization(
      ListRunsNeedingCancellationFinalization query);

  /**
   * Runs of unbounded queues that need a fresh delivery request: due retrying and released ones, running
   * ones whose lease has expired, and scheduled ones whose due time is 5 s past, since those own an
   * outbox message already. Never queued ones. Queues may be left out as by {@link #listRunnableRuns}.
   */
  Future<List<RunnableRunRef>> listRunsNeedingDelivery(ListRunsNeedingDelivery query);

  /**
   * Reserves a slot of a bounded queue for a due run, and stores the delivery request and its outbox
   * message, in one atomic step. Empty, with nothing changed, when the sequence is stale, the run is not
   * due, it holds a live reservation, its partition is full, or it does not exist. However many callers
   * compete, no partition is ever above its limit. Fails with {@link
   * ErrorCode#ADAPTER_CONTRACT_VIOLATION} when command, event and projection do not fit together.
   */
  Future<Optional<AppendedRun>> reserveRunDispatch(ReserveRunDispatch command);

  /**
   * Makes a worker the owner of a due run and stores the events given. Empty, with nothing changed, when
   * the sequence is stale, the run is leased or not due, its bounded partition is full, it does not
   * exist, or its dispatch reservation has expired: such a run waits until it is reserved anew, unless its queue
   * has no limit any more. A storage may take ten seconds to hear that another process gives a queue a limit or
   * takes it away. Of several claims for one run at most one wins. Fails with
   * {@link ErrorCode#ADAPTER_CONTRACT_VIOLATION} when command, events and projection do not fit together.
   */
  Future<Optional<AppendedRun>> claimRunLease(ClaimRunLease command);

  /**
   * Extends a lease, also one that has expired as long as nobody took the run. Fails with {@link
   * StorageConflictKind#LEASE_OWNERSHIP} when the run has no lease of this token and worker, whatever the
   * sequence and whatever else is wrong with the command, or does not exist; else with
   * {@link StorageConflictKind#EVENT_SEQUENCE} when the sequence is stale; else with
   * {@link ErrorCode#ADAPTER_CONTRACT_VIOLATION} when command, event and projection do not fit together.
   */
  Future<AppendedRun> heartbeatRunLease(HeartbeatRunLease command);

  /**
   * Clears what is left of an owner's lease after its outcome was appended. Changes nothing when the
   * lease is gone or somebody else's; never touches another owner's.
   */
  Future<Void> releaseRunLease(ReleaseRunLease command);

  /**
   * Claims one fire of a schedule. Empty while somebody else's claim has not expired, and for ever once
   * the occurrence is completed, also when it was removed later ({@link
   * ScheduleStorage#pruneOccurrences}). Of several competing claims exactly one wins.
   */
  Future<Optional<ClaimedOccurrence>> claimScheduleOccurrence(ClaimScheduleOccurrence command);

  /**
   * Completes a claimed occurrence for ever. Fails with {@link ErrorCode#SCHEDULE_NOT_FOUND} when it
   * does not exist and with {@link StorageConflictKind#SCHEDULE_OCCURRENCE} when the token is not, or no
   * longer, the one it is claimed with. A claim that has expired is valid until another process claims.
   */
  Future<Void> completeScheduleOccurrence(CompleteScheduleOccurrence command);

  /**
   * Claims due outbox messages, each with a token of its own or all with one, those due longest first: pending and
   * failed ones from the instant at which they are available, and claimed ones from the end of their claim, which
   * is their place in the order then. They are answered in that order. A message names its run's concurrency key,
   * whether the run has ended or not, and carries the trace of its delivery request, or else of its event, or else
   * of the run. Concurrent claims never share a message. With ids, only those; an id named twice counts once.
   */
  Future<List<ClaimedOutboxMessage>> claimOutboxMessages(ClaimOutboxMessages command);

  /**
   * Marks claimed messages as published; they never return. A claim that has expired is valid until
   * another process claims. Fails with {@link StorageConflictKind#OUTBOX_CLAIM}, and changes nothing, when any
   * of them is not, or no longer, claimed with its token. No messages at all is no failure; a message
   * named twice is marked once, as its first mark says.
   */
  Future<Void> markOutboxMessagesPublished(MarkOutboxMessagesPublished command);

  /**
   * Marks claimed messages as failed, to be claimed again later. One that nobody tried to publish ({@link
   * MarkOutboxMessagesFailed.Failed#counted}) keeps the number of its failed publishes, but for 0, which becomes 1.
   * Fails as publishing does.
   */
  Future<Void> markOutboxMessagesFailed(MarkOutboxMessagesFailed command);

  /** Gives claimed messages up; they stay readable but are never claimed. Fails as publishing does. */
  Future<Void> markOutboxMessagesDeadLettered(MarkOutboxMessagesDeadLettered command);

  /**
   * Removes terminal runs last updated before a cutoff with their events, outbox messages and expired
   * key ownership, a bounded number a call. Active runs and terminal ones that still own their
   * idempotency key stay. A cursor comes back while more may be left.
   */
  Future<PrunedRuns> pruneRuns(PruneRuns command);
}
