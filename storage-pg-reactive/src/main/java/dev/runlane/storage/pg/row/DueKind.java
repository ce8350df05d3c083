package dev.runlane.storage.pg.row;

import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** For what an active run is due at its {@code due_at}: the leading part of the due index. */
public enum DueKind {
  /** A worker; it owns its delivery request already. */
  QUEUED(0),
  /** A worker, and recovery looks after it as well: scheduled, retrying, released, or a lease that ends. */
  RECOVERED(1),
  /** Whoever writes the cancellation that its owner did not write. */
  CANCELLING(2),
  /** Another dispatch reservation. */
  RESERVED(3);

  private final short number;

  DueKind(int number) {
    this.number = (short) number;
  }

  public short number() {
    return number;
  }

  public static DueKind of(RunRecord run) {
    if (run.status() == RunStatus.CANCELLATION_REQUESTED) {
      return CANCELLING;
    }
    if (run.reservation() != null && !run.status().isLeased()) {
      return RESERVED;
    }
    return run.status() == RunStatus.QUEUED ? QUEUED : RECOVERED;
  }

  public static Instant dueAt(RunRecord run) {
    if (run.lease() != null) {
      return run.lease().expiresAt();
    }
    if (run.reservation() != null) {
      return run.reservation().expiresAt();
    }
    return run.runAt() == null ? run.updatedAt() : run.runAt();
  }

  /** Whether the run takes a slot where its queue is bounded, until an expired reservation is collected. */
  public static boolean occupies(RunRecord run) {
    return run.status().isLeased() || run.reservation() != null;
  }

  /** The partition of a bounded queue. */
  public static String partition(@Nullable String concurrencyKey) {
    return concurrencyKey == null ? "" : concurrencyKey;
  }
}
