package dev.runlane.runtime.process;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.EventHeader;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.process.LocalNotifications.OutboxRows;
import dev.runlane.runtime.task.CreatedRun;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.GetRunByIdempotencyKey;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Creates runs. A key that another run owns is not a failure: that run is the answer. If the owner is gone
 * by the time it is read, creation is tried again, {@value #TRIES} times in all and within {@link RetryBudget#LONGEST}.
 */
public final class RunCreations {
  /** The reason in the meta of a failure because a key's owner has another payload. */
  static final String IDEMPOTENCY_MISMATCH = "idempotency_mismatch";

  private static final int TRIES = 3;
  private static final int READ_AT_ONCE = 50;

  private final Environment environment;
  private final StorageAdapter storage;
  private final Clock clock;
  private final LocalNotifications notifications;
  private final Timers timers;
  private final GuardedObserver observer;
  private final OutboxRows unclaimed; // what becomes of rows that a creation did not claim

  public RunCreations(
      Environment environment,
      StorageAdapter storage,
      Clock clock,
      LocalNotifications notifications,
      Timers timers,
      GuardedObserver observer) {
    this(
        environment, storage, clock, notifications, timers, observer, OutboxRows.LEFT_TO_PUBLISHER);
  }

  private RunCreations(
      Environment environment,
      StorageAdapter storage,
      Clock clock,
      LocalNotifications notifications,
      Timers timers,
      GuardedObserver observer,
      OutboxRows unclaimed) {
    this.environment = environment;
    this.storage = storage;
    this.clock = clock;
    this.notifications = notifications;
    this.timers = timers;
    this.observer = observer;
    this.unclaimed = unclaimed;
  }

  /** The same creations in another storage, such as one that joins a caller's transaction. */
  public RunCreations in(StorageAdapter other, LocalNotifications silent) {
    return new RunCreations(environment, other, clock, silent, timers, observer);
  }

  /** The same creations in the view of the storage that {@link StorageAdapter#withWakeups} gives. */
  public RunCreations waking(StorageAdapter view) {
    return new RunCreations(
        environment, view, clock, notifications, timers, observer, OutboxRows.NONE);
  }

  /**
   * Creates the run and leaves its outbox message to the publisher. A scheduled run, a retry and a rerun whose id
   * exists already with the same source are answered as {@code IDEMPOTENT_EXISTING}; any other id that exists fails as
   * a conflict of kind {@code EVENT_SEQUENCE}.
   */
  public Future<CreatedRun> create(NewRun wanted) {
    return create(wanted, null, tries());
  }

  /** The same, and claims the outbox message for the caller to publish, if it is due. */
  public Future<CreatedRun> createClaimingOutbox(NewRun wanted, Duration claimFor) {
    return create(wanted, claimFor, tries());
  }

  private RetryBudget tries() {
    return new RetryBudget(timers, TRIES);
  }

  private Future<CreatedRun> create(NewRun wanted, @Nullable Duration claimFor, RetryBudget tries) {
    return Future.<Void>succeededFuture().compose(start -> {
      AppendRunEvents command =
          claimFor == null ? command(wanted) : command(wanted).claimingOutboxFor(claimFor);
      return storage
          .appendRunEvents(command)
          .map(appended -> created(appended, command))
          .recover(failure -> resolve(wanted, claimFor, failure, tries));
    });
  }

  /** The answer to a creation that failed once, by its owner or by trying again. */
  public Future<CreatedRun> resolve(NewRun wanted, Throwable failure) {
    return resolve(wanted, null, failure, tries());
  }

  private Future<CreatedRun> resolve(
      NewRun wanted, @Nullable Duration claimFor, Throwable failure, RetryBudget tries) {
    return existing(wanted, failure).compose(owner -> {
      if (owner.isPresent()) {
        return Future.succeededFuture(owner.get());
      }
      return isOwnerConflict(failure) && tries.tryNext()
          ? create(wanted, claimFor, tries)
          : Future.failedFuture(failure);
    });
  }

  /** The creation as one command: with a delivery request, unless the queue is bounded. */
  public AppendRunEvents command(NewRun wanted) {
    Instant now = clock.now();
    List<RunEvent> events = events(wanted, now);
    return AppendRunEvents.of(
            RunReducer.projectRunEvents(null, ContractDefaults.NEW_EVENT_SEQUENCE, events),
            events,
            now)
        .in(wanted.queue());
  }

  /** What a successful creation means for its caller and for this process's roles. */
  public CreatedRun created(AppendedRun appended, AppendRunEvents command) {
    notifications.committed(
        appended.run(),
        command.events(),
        command.claimOutboxFor() == null ? unclaimed : OutboxRows.CLAIMED_BY_COMMITTER);
    notifications.workAvailable(appended.run().queue());
    notifications.dispatchChanged(appended.run().queue());
    observer.runCreated(appended.run());
    return new CreatedRun(appended.run(), TriggerOutcome.CREATED, true, appended.claimedOutbox());
  }

  /** The run that owns a key of a creation that failed for it, or empty: then the failure is the answer. */
  public Future<Optional<CreatedRun>> owner(NewRun wanted, Throwable failure) {
    return isOwnerConflict(failure)
        ? existing(wanted, failure)
        : Future.succeededFuture(Optional.empty());
  }

  /**
   * Fails with {@code ValidationFailed} when a run that refuses other payloads finds one, with the owner its key has
   * at present or with another of {@code wanted}. Nothing is stored, nor is anything kept from changing afterwards.
   */
  public Future<Void> requireSamePayloads(List<NewRun> wanted) {
    Map<String, NewRun> firsts = new LinkedHashMap<>();
    for (NewRun each : wanted) {
      String key = each.keys().idempotencyKey();
      NewRun first =
          key == null || !each.refusesOtherPayload() ? null : firsts.putIfAbsent(key, each);
      if (first != null && !first.hasPayload(each.payload())) {
        return Future.failedFuture(RunlaneException.validationFailed(
                "two runs of task %s have one idempotency key and two payloads", each.taskId())
            .withMeta("reason", IDEMPOTENCY_MISMATCH));
      }
    }
    return requireSamePayloads(List.copyOf(firsts.values()), 0);
  }

  private Future<Void> requireSamePayloads(List<NewRun> wanted, int from) {
    if (from >= wanted.size()) {
      return Future.succeededFuture();
    }
    int to = Math.min(from + READ_AT_ONCE, wanted.size());
    return Future.all(wanted.subList(from, to).stream()
            .map(each ->
                idempotencyOwner(each).map(owner -> owner.map(run -> idempotentAnswer(each, run))))
            .toList())
        .compose(read -> requireSamePayloads(wanted, to));
  }

  private Future<Optional<CreatedRun>> existing(NewRun wanted, Throwable failure) {
    if (!(failure instanceof RunlaneException conflict)) {
      return Future.succeededFuture(Optional.empty());
    }
    if (conflict.isConflict(StorageConflictKind.IDEMPOTENCY_KEY)) {
      return idempotencyOwner(wanted).map(owner -> owner.map(run -> idempotentAnswer(wanted, run)));
    }
    if (conflict.isConflict(StorageConflictKind.SINGLETON_KEY)) {
      return singletonOwner(conflict)
          .map(owner -> owner.map(run -> answer(wanted, run, TriggerOutcome.SINGLETON_EXISTING)));
    }
    boolean sameSource = wanted.source().type() != RunSource.Type.TRIGGER
        && conflict.isConflict(StorageConflictKind.EVENT_SEQUENCE);
    boolean replyLost = conflict.code() == ErrorCode.STORAGE_UNAVAILABLE;
    if (sameSource || replyLost) {
      return inTime(storage.getRun(new GetRun(environment, wanted.runId())))
          .map(found -> found
              .filter(run ->
                  run.source().equals(wanted.source()) && run.taskId().equals(wanted.taskId()))
              .map(run -> answer(
                  wanted,
                  run,
                  sameSource ? TriggerOutcome.IDEMPOTENT_EXISTING : TriggerOutcome.CREATED)))
          .otherwise(Optional.empty()); // the first failure says more than one of this read
    }
    return Future.succeededFuture(Optional.empty());
  }

  /** A caller who has waited for one command already is not kept for as long as a read may take. */
  private <T> Future<T> inTime(Future<T> read) {
    return timers.within(
        RetryBudget.LONGEST,
        read,
        () -> RunlaneException.unavailable(
            ErrorCode.STORAGE_UNAVAILABLE, null, "no answer within %s", RetryBudget.LONGEST));
  }

  private Future<Optional<RunRecord>> idempotencyOwner(NewRun wanted) {
    String key = wanted.keys().idempotencyKey();
    return key == null
        ? Future.succeededFuture(Optional.empty())
        : storage.getRunByIdempotencyKey(
            new GetRunByIdempotencyKey(environment, wanted.taskId(), key, clock.now()));
  }

  private Future<Optional<RunRecord>> singletonOwner(RunlaneException conflict) {
    String ownerId = conflict.meta().get(RunlaneException.OWNER_RUN_ID);
    return ownerId == null
        ? Future.succeededFuture(Optional.empty())
        : storage
            .getRun(new GetRun(environment, ownerId))
            .map(owner -> owner.filter(run -> run.status().isActive()));
  }

  public static boolean isOwnerConflict(Throwable failure) {
    return failure instanceof RunlaneException conflict
        && (conflict.isConflict(StorageConflictKind.IDEMPOTENCY_KEY)
            || conflict.isConflict(StorageConflictKind.SINGLETON_KEY));
  }

  /** Throws {@code ValidationFailed} where a run with another payload is no answer. */
  private static CreatedRun idempotentAnswer(NewRun wanted, RunRecord owner) {
    CreatedRun answer = answer(wanted, owner, TriggerOutcome.IDEMPOTENT_EXISTING);
    if (wanted.refusesOtherPayload() && !answer.samePayload()) {
      throw RunlaneException.validationFailed(
              "the idempotency key of a run of task %s belongs to run %s, which has another payload",
              wanted.taskId(), owner.id())
          .withMeta("reason", IDEMPOTENCY_MISMATCH)
          .withMeta(RunlaneException.OWNER_RUN_ID, owner.id());
    }
    return answer;
  }

  private static CreatedRun answer(NewRun wanted, RunRecord run, TriggerOutcome outcome) {
    return new CreatedRun(run, outcome, wanted.hasPayload(run.payload()), List.of());
  }

  private List<RunEvent> events(NewRun wanted, Instant now) {
    EventHeader header = new EventHeader(
        environment, wanted.runId(), wanted.actor(), now, wanted.traceCarrier(), wanted.meta());
    List<RunEvent> events = new ArrayList<>();
    events.add(new RunEvent.Created(
        header,
        wanted.taskId(),
        wanted.queue().queue(),
        wanted.payload(),
        wanted.runAt(),
        wanted.keys(),
        wanted.source(),
        wanted.tags()));
    if (!wanted.queue().isBounded()) {
      Instant availableAt =
          wanted.runAt() == null || wanted.runAt().isBefore(now) ? now : wanted.runAt();
      events.add(new RunEvent.DeliveryRequested(
          header.withMeta(null),
          new DeliveryIntent(
              environment,
              wanted.runId(),
              wanted.queue().queue(),
              now,
              availableAt,
              null,
              wanted.traceCarrier())));
    }
    return events;
  }
}
