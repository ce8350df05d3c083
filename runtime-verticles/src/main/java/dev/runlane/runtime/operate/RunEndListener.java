package dev.runlane.runtime.operate;

import dev.runlane.run.RunRecord;
import java.time.Instant;

/** Learns of runs that have ended. Called on the runtime's own context, so it must not block. */
@FunctionalInterface
public interface RunEndListener {
  /** A run has ended. What this throws is logged. */
  void ended(RunRecord run);

  /**
   * Ends that occurred between these instants may never be reported: there were too many at once, or the storage could
   * not be read for long. Who must know of them reads the runs' list.
   */
  default void missed(Instant from, Instant until) {}
}
