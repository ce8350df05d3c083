package dev.runlane.conformance.model;

import dev.runlane.operator.log.LogLine;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.read.RunEventRecord;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A run with all that hangs on it, and that goes with it when it is pruned. */
public final class ModelRun {
  public RunRecord record;
  public boolean ownsIdempotencyKey;
  public boolean ownsSingletonKey;
  public final List<RunEventRecord> history = new ArrayList<>();
  public final List<ModelMessage> messages = new ArrayList<>(); // oldest request first
  public final List<ModelStep> steps = new ArrayList<>(); // pending ones
  public final List<LogLine> lines = new ArrayList<>();

  public ModelRun(RunRecord record) {
    this.record = record;
    this.ownsIdempotencyKey = record.keys().idempotencyKey() != null;
    this.ownsSingletonKey = record.keys().singletonKey() != null;
  }

  /** Those of its creation. */
  public Map<String, String> tags() {
    return history.isEmpty() || !(history.get(0).event() instanceof RunEvent.Created created)
        ? Map.of()
        : created.tags();
  }

  /** The run is like this from now on; one that has ended gives up the keys it does not retain. */
  public void become(RunRecord next) {
    record = next;
    if (next.status().isTerminal()) {
      ownsSingletonKey = false;
      ownsIdempotencyKey &= next.status() != RunStatus.FAILED && !isRetainedOnlyWhileActive();
    }
  }

  /** An active run owns its key however long it takes; one that has ended until its retention is over. */
  public boolean ownsIdempotencyKeyAt(Instant now) {
    return ownsIdempotencyKey
        && (record.status().isActive()
            || retentionEnd(record).filter(end -> end.isAfter(now)).isPresent());
  }

  /** Counted from the run's creation. Empty where the key is retained while the run is active, or not at all. */
  public static Optional<Instant> retentionEnd(RunRecord run) {
    return Optional.ofNullable(run.keys().idempotencyTtl())
        .map(IdempotencyTtl::retention)
        .map(retention -> run.createdAt().plus(retention).truncatedTo(ChronoUnit.MICROS));
  }

  private boolean isRetainedOnlyWhileActive() {
    return IdempotencyTtl.ACTIVE.equals(record.keys().idempotencyTtl());
  }

  /** Whether the run's slot was held and is not any more, so that the run must be reserved anew. */
  public boolean lostItsReservationAt(Instant now) {
    return record.reservation() != null && record.reservation().isExpiredAt(now);
  }
}
