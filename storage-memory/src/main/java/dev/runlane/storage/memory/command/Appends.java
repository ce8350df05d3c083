package dev.runlane.storage.memory.command;

import static dev.runlane.run.StorageConflictKind.QUEUE_CAPACITY;

import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.CommandConsistency;
import dev.runlane.storage.memory.kept.KeyOwners;
import dev.runlane.storage.memory.run.PartitionKey;
import dev.runlane.storage.memory.run.Runs;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;

/** Appends: the lease first where one is needed, then sequence, consistency, and keys and capacity of a creation. */
public final class Appends {
  private final Runs runs;
  private final KeyOwners owners;
  private final Commits commits;

  public Appends(Runs runs, KeyOwners owners, Commits commits) {
    this.runs = runs;
    this.owners = owners;
    this.commits = commits;
  }

  public AppendedRun append(AppendRunEvents command) {
    if (command.heldLease() != null) {
      Leases.requireOwned(command.runId(), runs.get(command.runId()), command.heldLease());
    }
    commits.requireSequence(command.runId(), command.expectedSequence());
    CommandConsistency.violation(command).ifPresent(Appends::raise);
    RunRecord projected = command.projectedRun();
    if (command.expectedSequence() == 0) {
      owners.requireFree(projected, command.now());
      requireSlot(command);
      owners.take(projected);
    }
    return command.claimOutboxFor() == null
        ? commits.store(projected, command.events())
        : commits.storeAndClaim(
            projected, command.events(), command.now(), command.claimOutboxFor());
  }

  /** A creation that takes a lease occupies a slot at once. */
  private void requireSlot(AppendRunEvents command) {
    RunRecord projected = command.projectedRun();
    if (command.queuePolicy() != null
        && projected.status().isLeased()
        && runs.slots().free(command.queuePolicy(), PartitionKey.of(projected), command.now())
            == 0) {
      throw RunlaneException.conflict(
          QUEUE_CAPACITY,
          "queue %s has no free slot for run %s",
          projected.queue(),
          projected.id());
    }
  }

  private static void raise(RunlaneException violation) {
    throw violation;
  }
}
