package dev.runlane.storage.memory.command;

import static dev.runlane.run.StorageConflictKind.LEASE_OWNERSHIP;

import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunDueTimes;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.CommandConsistency;
import dev.runlane.storage.memory.run.Runs;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.HeartbeatRunLease;
import dev.runlane.storage.run.ReleaseRunLease;
import dev.runlane.storage.run.ReserveRunDispatch;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Timed ownership of runs, and of the slots that are held for them until somebody owns them. */
public final class Leases {
  private final Runs runs;
  private final Commits commits;

  public Leases(Runs runs, Commits commits) {
    this.runs = runs;
    this.commits = commits;
  }

  /** Whether a slot was held for the run and is no more, so that it must be reserved anew where slots are few. */
  static boolean isReservationLost(RunRecord run, QueuePolicy policy, Instant now) {
    return policy.isBounded() && run.reservation() != null && run.reservation().isExpiredAt(now);
  }

  public Optional<AppendedRun> claim(ClaimRunLease command) {
    RunRecord run = runs.get(command.runId());
    if (run == null || run.eventSequence() != command.expectedSequence()) {
      return Optional.empty();
    }
    CommandConsistency.violation(command).ifPresent(Leases::raise);
    QueuePolicy policy = command.queuePolicy();
    Instant now = command.now();
    if (!RunDueTimes.isRunnableAt(run, now)
        || isReservationLost(run, policy, now)
        || !runs.slots().hasSlotFor(policy, run, now)) {
      return Optional.empty();
    }
    return Optional.of(commits.store(command.projectedRun(), command.events()));
  }

  public Optional<AppendedRun> reserve(ReserveRunDispatch command) {
    RunRecord run = runs.get(command.runId());
    if (run == null || run.eventSequence() != command.expectedSequence()) {
      return Optional.empty();
    }
    CommandConsistency.violation(command).ifPresent(Leases::raise);
    Instant now = command.now();
    if (!RunDueTimes.isRunnableAt(run, now)
        || run.hasLiveReservationAt(now)
        || !runs.slots().hasSlotFor(command.queuePolicy(), run, now)) {
      return Optional.empty();
    }
    return Optional.of(commits.store(command.projectedRun(), List.of(command.event())));
  }

  public AppendedRun heartbeat(HeartbeatRunLease command) {
    Lease lease = command.event().lease();
    requireOwned(command.runId(), runs.get(command.runId()), lease);
    commits.requireSequence(command.runId(), command.expectedSequence());
    CommandConsistency.violation(command).ifPresent(Leases::raise);
    return commits.store(command.projectedRun(), List.of(command.event()));
  }

  /** Only a projection that ended an attempt and kept its lease leaves something to clear. */
  public void release(ReleaseRunLease command) {
    RunRecord run = runs.get(command.runId());
    if (run != null
        && !run.status().isLeased()
        && isOwnedBy(run, command.leaseToken(), command.workerId())) {
      runs.put(run.toBuilder().lease(null).build());
    }
  }

  /** Fails unless the run is leased with this token by this worker. */
  static void requireOwned(String runId, @Nullable RunRecord run, Lease lease) {
    if (!isOwnedBy(run, lease.token(), lease.workerId())) {
      throw RunlaneException.conflict(
          LEASE_OWNERSHIP,
          "run %s is not leased by worker %s with this token",
          runId,
          lease.workerId());
    }
  }

  private static boolean isOwnedBy(@Nullable RunRecord run, String token, String workerId) {
    Lease lease = run == null ? null : run.lease();
    return lease != null && lease.token().equals(token) && lease.workerId().equals(workerId);
  }

  private static void raise(RunlaneException violation) {
    throw violation;
  }
}
