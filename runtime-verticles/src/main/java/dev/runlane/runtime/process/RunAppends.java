package dev.runlane.runtime.process;

import dev.runlane.run.EventHeader;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ReserveRunDispatch;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Read, project, append: the step by which every run that exists moves on. An impossible projection and a
 * lost race both fail the future, the one as {@code InvariantViolation}, the other as a conflict of kind
 * {@code EVENT_SEQUENCE} after which the caller reads again and decides again.
 */
public final class RunAppends {
  private final StorageAdapter storage;
  private final Clock clock;
  private final LocalNotifications notifications;

  public RunAppends(StorageAdapter storage, Clock clock, LocalNotifications notifications) {
    this.storage = storage;
    this.clock = clock;
    this.notifications = notifications;
  }

  /** When an event after {@code run} occurs: now, but never before what happened last. */
  public Instant occurredAt(RunRecord run) {
    Instant now = clock.now();
    return now.isBefore(run.updatedAt()) ? run.updatedAt() : now;
  }

  /** The header of an event the system writes now. */
  public EventHeader header(RunRecord run) {
    return EventHeader.bySystem(run.environment(), run.id(), occurredAt(run));
  }

  /** Appends events to the run as it was read, and notifies this process's roles. */
  public Future<AppendedRun> append(RunRecord run, List<? extends RunEvent> events) {
    return append(run, events, command -> command);
  }

  /**
   * The same for who has worked on the run, or knows it from its lease: only while it is leased with this token by this
   * worker, and otherwise a conflict of kind {@code LEASE_OWNERSHIP}.
   */
  public Future<AppendedRun> append(RunRecord run, List<? extends RunEvent> events, Lease held) {
    return append(run, events, command -> command.whileHeld(held));
  }

  private Future<AppendedRun> append(
      RunRecord run, List<? extends RunEvent> events, UnaryOperator<AppendRunEvents> condition) {
    return Future.<Void>succeededFuture()
        .compose(start -> storage.appendRunEvents(
            condition.apply(AppendRunEvents.of(project(run, events), events, clock.now()))))
        .map(appended -> {
          notifications.committed(
              appended.run(), events, LocalNotifications.OutboxRows.LEFT_TO_PUBLISHER);
          return appended;
        });
  }

  /**
   * Reserves a slot of a bounded queue for the run as it was read. Empty when the race was lost or the
   * partition is full.
   *
   * @param event the delivery request, with {@code dispatchExpiresAt}
   */
  public Future<Optional<AppendedRun>> reserve(
      RunRecord run, RunEvent.DeliveryRequested event, QueuePolicy policy) {
    return Future.<Void>succeededFuture()
        .compose(start -> storage.reserveRunDispatch(new ReserveRunDispatch(
            run.environment(),
            run.id(),
            run.eventSequence(),
            event,
            project(run, List.of(event)),
            policy,
            clock.now())))
        .map(reserved -> {
          reserved.ifPresent(appended -> notifications.committed(
              appended.run(), List.of(event), LocalNotifications.OutboxRows.LEFT_TO_PUBLISHER));
          return reserved;
        });
  }

  /** The run after the events. Throws {@code InvariantViolation} when they are impossible. */
  public static RunRecord project(RunRecord run, List<? extends RunEvent> events) {
    return RunReducer.projectRunEvents(run, run.eventSequence(), events);
  }
}
