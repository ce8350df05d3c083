package dev.runlane.storage.memory.operator;

import dev.runlane.operator.depth.DepthSample;
import dev.runlane.operator.depth.OutboxDepth;
import dev.runlane.operator.depth.QueueDepth;
import dev.runlane.operator.process.HeldLease;
import dev.runlane.run.DispatchReservation;
import dev.runlane.run.Identifiers;
import dev.runlane.run.Lease;
import dev.runlane.run.RunDueTimes;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.memory.kept.Outbox;
import dev.runlane.storage.memory.kept.OutboxRow;
import dev.runlane.storage.memory.kept.PendingSteps;
import dev.runlane.storage.memory.run.Runs;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What waits, and who holds what. */
public final class Depths {
  private final Runs runs;
  private final Outbox outbox;
  private final PendingSteps steps;

  public Depths(Runs runs, Outbox outbox, PendingSteps steps) {
    this.runs = runs;
    this.outbox = outbox;
    this.steps = steps;
  }

  public DepthSample at(Instant now) {
    Map<String, QueueDepth> queues = new TreeMap<>(Identifiers.ORDER);
    active().forEach(run -> queues.merge(run.queue(), depth(run, now), Depths::sum));
    OutboxDepth messages = outbox
        .kept()
        .map(row -> depth(row, now))
        .reduce(new OutboxDepth(0, 0, 0, 0, null), Depths::sum);
    return new DepthSample(now, List.copyOf(queues.values()), messages, steps.depths(now));
  }

  /** Leases of these workers that have not expired, those that end first first. */
  public List<HeldLease> leases(Collection<String> workerIds, Instant now, int limit) {
    return active()
        .flatMap(run -> Stream.ofNullable(held(run, workerIds, now)))
        .sorted(Comparator.comparing(HeldLease::expiresAt)
            .thenComparing(HeldLease::runId, Identifiers.ORDER))
        .limit(limit)
        .toList();
  }

  private Stream<RunRecord> active() {
    return runs.byCreation().all().values().stream().filter(run -> !run.status().isTerminal());
  }

  private static @Nullable HeldLease held(
      RunRecord run, Collection<String> workerIds, Instant now) {
    Lease lease = run.lease();
    return lease != null && lease.expiresAt().isAfter(now) && workerIds.contains(lease.workerId())
        ? new HeldLease(run.id(), run.taskId(), run.queue(), lease.workerId(), lease.expiresAt())
        : null;
  }

  private static QueueDepth depth(RunRecord run, Instant now) {
    Instant dueAt = dueAt(run);
    if (!dueAt.isAfter(now)) {
      return new QueueDepth(run.queue(), 1, 0, 0, dueAt);
    }
    boolean held = run.lease() != null || run.reservation() != null;
    return new QueueDepth(run.queue(), 0, held ? 0 : 1, held ? 1 : 0, null);
  }

  private static Instant dueAt(RunRecord run) {
    DispatchReservation reservation = run.reservation();
    Lease lease = run.lease();
    return lease != null
        ? lease.expiresAt()
        : reservation != null
            ? reservation.expiresAt()
            : RunDueTimes.runnableAvailableAt(run).orElse(run.updatedAt());
  }

  private static QueueDepth sum(QueueDepth one, QueueDepth other) {
    return new QueueDepth(
        one.queue(),
        one.waiting() + other.waiting(),
        one.later() + other.later(),
        one.held() + other.held(),
        earlier(one.oldestDueAt(), other.oldestDueAt()));
  }

  private static OutboxDepth depth(OutboxRow row, Instant now) {
    return new OutboxDepth(
        row.status() == OutboxMessageStatus.PENDING ? 1 : 0,
        row.status() == OutboxMessageStatus.CLAIMED ? 1 : 0,
        row.status() == OutboxMessageStatus.FAILED ? 1 : 0,
        row.status() == OutboxMessageStatus.DEAD_LETTERED ? 1 : 0,
        row.isDueAt(now) ? row.dueAt() : null);
  }

  private static OutboxDepth sum(OutboxDepth one, OutboxDepth other) {
    return new OutboxDepth(
        one.pending() + other.pending(),
        one.claimed() + other.claimed(),
        one.failed() + other.failed(),
        one.deadLettered() + other.deadLettered(),
        earlier(one.oldestDueAt(), other.oldestDueAt()));
  }

  private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
    return one == null || (other != null && other.isBefore(one)) ? other : one;
  }
}
