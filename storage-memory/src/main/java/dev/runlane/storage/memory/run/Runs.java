package dev.runlane.storage.memory.run;

import dev.runlane.run.DispatchReservation;
import dev.runlane.run.RunDueTimes;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The runs of one environment as they are now, and every order in which they are looked for. */
public final class Runs {
  private final Map<String, RunRecord> runs = new HashMap<>();
  private final SortedRuns byCreation = new SortedRuns(run -> Optional.of(run.createdAt()));
  private final SortedRuns byUpdate = new SortedRuns(run -> Optional.of(run.updatedAt()));
  private final SortedRuns ended = new SortedRuns(Runs::endOf);
  private final SortedRuns cancelling =
      new SortedRuns(RunDueTimes::cancellationFinalizationAvailableAt);
  private final QueueRuns recoverable = new QueueRuns(run -> recoverableFrom(run, false));
  private final QueueRuns scheduled = new QueueRuns(run -> recoverableFrom(run, true));
  private final DueRuns due = new DueRuns(RunDueTimes::runnableAvailableAt);
  private final DueRuns dispatchable = new DueRuns(Runs::dispatchableFrom);
  private final Slots slots = new Slots();
  private final List<RunIndex> indexes = List.of(
      byCreation, byUpdate, ended, cancelling, recoverable, scheduled, due, dispatchable, slots);

  @Nullable
  public RunRecord get(String runId) {
    return runs.get(runId);
  }

  /** The run is like this from now on. */
  public void put(RunRecord run) {
    remove(run.id());
    runs.put(run.id(), run);
    indexes.forEach(index -> index.add(run));
  }

  public void remove(String runId) {
    RunRecord before = runs.remove(runId);
    if (before != null) {
      indexes.forEach(index -> index.remove(before));
    }
  }

  /** All runs by creation. */
  public SortedRuns byCreation() {
    return byCreation;
  }

  /** All runs by their last event. */
  public SortedRuns byUpdate() {
    return byUpdate;
  }

  /** Terminal runs by their last event. */
  public SortedRuns ended() {
    return ended;
  }

  /** Runs asked to cancel, by the end of their lease. */
  public SortedRuns cancelling() {
    return cancelling;
  }

  /** Runs other than scheduled ones that may need a fresh delivery request, by the instant they are due. */
  public QueueRuns recoverable() {
    return recoverable;
  }

  /** Scheduled runs by the instant they are due. */
  public QueueRuns scheduled() {
    return scheduled;
  }

  /** Runs a worker may claim. */
  public DueRuns due() {
    return due;
  }

  /** Runs a dispatcher may reserve a slot for, or see a slot of. */
  public DueRuns dispatchable() {
    return dispatchable;
  }

  /** Who occupies the slots of partitions. */
  public Slots slots() {
    return slots;
  }

  private static Optional<Instant> endOf(RunRecord run) {
    return run.status().isTerminal() ? Optional.of(run.updatedAt()) : Optional.empty();
  }

  /** From when a dispatcher may care for the run: one that is reserved is due again when that expires. */
  public static Optional<Instant> dispatchableFrom(RunRecord run) {
    Optional<Instant> from = RunDueTimes.runnableAvailableAt(run);
    DispatchReservation reservation = run.reservation();
    return reservation == null || run.status().isLeased()
        ? from
        : from.map(due -> reservation.expiresAt());
  }

  private static Optional<Instant> recoverableFrom(RunRecord run, boolean isScheduled) {
    return (run.status() == RunStatus.SCHEDULED) == isScheduled
        ? RunDueTimes.deliveryRecoveryAvailableAt(run)
        : Optional.empty();
  }
}
