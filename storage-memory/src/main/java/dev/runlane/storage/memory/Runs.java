package dev.runlane.storage.memory;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.RunDueTimes;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The runs of one environment as they are now, and every order in which they are looked for. */
final class Runs {
  private static final Duration RECOVERY_DELAY = ContractDefaults.SCHEDULED_RECOVERY_DELAY;

  /** Too late to add a delay to, and for anybody to live to see. */
  private static final Instant NEVER = Instant.MAX.minus(RECOVERY_DELAY);

  private final Map<String, RunRecord> runs = new HashMap<>();
  private final SortedRuns byCreation = new SortedRuns(run -> Optional.of(run.createdAt()));
  private final SortedRuns byUpdate = new SortedRuns(run -> Optional.of(run.updatedAt()));
  private final SortedRuns ended = new SortedRuns(Runs::endOf);
  private final SortedRuns cancelling =
      new SortedRuns(RunDueTimes::cancellationFinalizationAvailableAt);
  private final QueueRuns recoverable = new QueueRuns(Runs::recoverableFrom);
  private final DueRuns due = new DueRuns();
  private final Slots slots = new Slots();
  private final List<RunIndex> indexes =
      List.of(byCreation, byUpdate, ended, cancelling, recoverable, due, slots);

  @Nullable
  RunRecord get(String runId) {
    return runs.get(runId);
  }

  /** The run is like this from now on. */
  void put(RunRecord run) {
    remove(run.id());
    runs.put(run.id(), run);
    indexes.forEach(index -> index.add(run));
  }

  void remove(String runId) {
    RunRecord before = runs.remove(runId);
    if (before != null) {
      indexes.forEach(index -> index.remove(before));
    }
  }

  /** All runs by creation. */
  SortedRuns byCreation() {
    return byCreation;
  }

  /** All runs by their last event. */
  SortedRuns byUpdate() {
    return byUpdate;
  }

  /** Terminal runs by their last event. */
  SortedRuns ended() {
    return ended;
  }

  /** Runs asked to cancel, by the end of their lease. */
  SortedRuns cancelling() {
    return cancelling;
  }

  /** Runs that may need a fresh delivery request, by the instant from which they do. */
  QueueRuns recoverable() {
    return recoverable;
  }

  /** Runs a worker may claim. */
  DueRuns due() {
    return due;
  }

  /** Who occupies the slots of partitions. */
  Slots slots() {
    return slots;
  }

  private static Optional<Instant> endOf(RunRecord run) {
    return run.status().isTerminal() ? Optional.of(run.updatedAt()) : Optional.empty();
  }

  /** A scheduled run owns an outbox message, which gets its chance first. */
  private static Optional<Instant> recoverableFrom(RunRecord run) {
    Optional<Instant> from = RunDueTimes.deliveryRecoveryAvailableAt(run);
    return run.status() == RunStatus.SCHEDULED
        ? from.filter(due -> due.isBefore(NEVER)).map(due -> due.plus(RECOVERY_DELAY))
        : from;
  }
}
