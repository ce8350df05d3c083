package dev.runlane.storage.run;

import dev.runlane.run.Environment;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Appends events to a run, or creates it.
 *
 * @param environment scope
 * @param runId the run
 * @param expectedSequence the sequence the projection was made from; 0 for a new run
 * @param events at least one; {@code run.lease_claimed} only directly after {@code run.created}
 * @param projectedRun the run after the events, made by the reducer
 * @param queuePolicy the run's queue; needed, and its limit enforced, where a creation takes a lease
 * @param now the caller's time
 * @param claimOutboxFor claims this append's own due outbox messages at once for so long; null: they are
 *     born pending
 * @param heldLease the lease that must be in force, whose expiry does not matter; null: whichever. A run that a
 *     restored or promoted database has given to somebody else can be at the same sequence again
 */
public record AppendRunEvents(
    Environment environment,
    String runId,
    long expectedSequence,
    List<RunEvent> events,
    RunRecord projectedRun,
    @Nullable QueuePolicy queuePolicy,
    Instant now,
    @Nullable Duration claimOutboxFor,
    @Nullable Lease heldLease) {
  /** An append whatever lease is in force. */
  public AppendRunEvents(
      Environment environment,
      String runId,
      long expectedSequence,
      List<RunEvent> events,
      RunRecord projectedRun,
      @Nullable QueuePolicy queuePolicy,
      Instant now,
      @Nullable Duration claimOutboxFor) {
    this(
        environment,
        runId,
        expectedSequence,
        events,
        projectedRun,
        queuePolicy,
        now,
        claimOutboxFor,
        null);
  }

  /** Copies the events, refuses null and cuts instants to microseconds. */
  public AppendRunEvents {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(runId);
    events = List.copyOf(events);
    Objects.requireNonNull(projectedRun);
    Objects.requireNonNull(now);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }

  /** An append without queue policy whose outbox messages are born pending. */
  public static AppendRunEvents of(
      RunRecord projectedRun, List<? extends RunEvent> events, Instant now) {
    return new AppendRunEvents(
        projectedRun.environment(),
        projectedRun.id(),
        projectedRun.eventSequence() - events.size(),
        List.copyOf(events),
        projectedRun,
        null,
        now,
        null);
  }

  /** The same append that also claims its outbox messages. */
  public AppendRunEvents claimingOutboxFor(Duration duration) {
    return new AppendRunEvents(
        environment,
        runId,
        expectedSequence,
        events,
        projectedRun,
        queuePolicy,
        now,
        duration,
        heldLease);
  }

  /** The same append in a queue with this policy. */
  public AppendRunEvents in(QueuePolicy policy) {
    return new AppendRunEvents(
        environment,
        runId,
        expectedSequence,
        events,
        projectedRun,
        policy,
        now,
        claimOutboxFor,
        heldLease);
  }

  /** The same append, only while the run is leased with the token and by the worker of this lease. */
  public AppendRunEvents whileHeld(Lease lease) {
    return new AppendRunEvents(
        environment,
        runId,
        expectedSequence,
        events,
        projectedRun,
        queuePolicy,
        now,
        claimOutboxFor,
        lease);
  }
}
