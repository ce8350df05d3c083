package dev.runlane.samples;

import static dev.runlane.samples.Samples.FAILURE;
import static dev.runlane.samples.Samples.LEASE;
import static dev.runlane.samples.Samples.NOON;
import static dev.runlane.samples.Samples.PRODUCTION;
import static dev.runlane.samples.Samples.QUEUE;
import static dev.runlane.samples.Samples.RUN;
import static dev.runlane.samples.Samples.header;

import dev.runlane.run.FailureRecord;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.HeartbeatRunLease;
import dev.runlane.storage.run.ReserveRunDispatch;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Commands about one run, well formed and consistent unless something else is put into them. */
public final class SampleCommands {
  public static final QueuePolicy UNBOUNDED = QueuePolicy.unbounded(QUEUE);
  public static final QueuePolicy BOUNDED = QueuePolicy.bounded(QUEUE, 2);

  private SampleCommands() {}

  /** An append to the run at sequence 4. */
  public static AppendRunEvents append(RunEvent... events) {
    return append(4, at(Samples.running(), 4 + events.length), events);
  }

  public static AppendRunEvents append(long expected, RunRecord projected, RunEvent... events) {
    return new AppendRunEvents(
        PRODUCTION, RUN, expected, List.of(events), projected, null, NOON, null);
  }

  public static AppendRunEvents creation(RunEvent.Created created) {
    return append(0, at(Samples.queued(), 1), created);
  }

  public static AppendRunEvents claimingFor(Duration duration) {
    return creation(Samples.created()).claimingOutboxFor(duration);
  }

  public static ClaimRunLease claim(RunEvent... events) {
    return claim(at(Samples.running(), 4 + events.length), UNBOUNDED, events);
  }

  public static ClaimRunLease claim(RunRecord projected, QueuePolicy policy, RunEvent... events) {
    return new ClaimRunLease(PRODUCTION, RUN, 4, List.of(events), projected, policy, NOON);
  }

  public static RunEvent.LeaseClaimed claimed(Lease lease) {
    return new RunEvent.LeaseClaimed(header(), lease);
  }

  public static HeartbeatRunLease heartbeat(Lease lease) {
    return heartbeat(lease, at(Samples.running(), 5));
  }

  public static HeartbeatRunLease heartbeat(Lease lease, RunRecord projected) {
    return new HeartbeatRunLease(
        PRODUCTION, RUN, 4, new RunEvent.LeaseHeartbeat(header(), lease), projected, NOON);
  }

  public static ReserveRunDispatch reserve(QueuePolicy policy) {
    return reserve(Samples.reserved(), at(Samples.reservedRun(), 5), policy);
  }

  public static ReserveRunDispatch reserve(
      RunEvent.DeliveryRequested event, RunRecord projected, QueuePolicy policy) {
    return new ReserveRunDispatch(PRODUCTION, RUN, 4, event, projected, policy, NOON);
  }

  public static MarkOutboxMessagesPublished published(String id, String token, String provider) {
    return new MarkOutboxMessagesPublished(
        PRODUCTION, List.of(new MarkOutboxMessagesPublished.Published(id, token, provider)), NOON);
  }

  public static MarkOutboxMessagesFailed failed(String id, FailureRecord failure, Instant next) {
    return new MarkOutboxMessagesFailed(
        PRODUCTION, List.of(new MarkOutboxMessagesFailed.Failed(id, "tok_1", failure, next)), NOON);
  }

  public static MarkOutboxMessagesDeadLettered deadLettered(String id, FailureRecord failure) {
    return new MarkOutboxMessagesDeadLettered(
        PRODUCTION,
        List.of(new MarkOutboxMessagesDeadLettered.DeadLettered(id, "tok_1", failure)),
        NOON);
  }

  public static FailureRecord failing(String message) {
    return new FailureRecord(FAILURE.code(), message, true, null);
  }

  public static Lease lease(String token, String worker) {
    return new Lease(token, worker, LEASE.expiresAt());
  }

  /** The record at another sequence. */
  public static RunRecord at(RunRecord run, long sequence) {
    return run.toBuilder().eventSequence(sequence).build();
  }

  public static RunRecord leased(RunRecord run, Lease lease) {
    return run.toBuilder().lease(lease).build();
  }

  public static RunRecord unreserved(RunRecord run) {
    return run.toBuilder().reservation(null).build();
  }
}
