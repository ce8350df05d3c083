package dev.runlane.jobs.store;

import java.util.Objects;

/** What became of a {@link FinishJob}. */
public sealed interface FinishResult {
  /**
   * It was carried out.
   *
   * @param change all that was changed
   */
  record Finished(FinishedJob change) implements FinishResult {
    /** Refuses null. */
    public Finished {
      Objects.requireNonNull(change);
    }
  }

  /**
   * The hand-out is over: the job is gone, not active, under another token, or, for a stall, its lock was
   * extended. Nothing was changed.
   */
  record LockLost() implements FinishResult {}
}
