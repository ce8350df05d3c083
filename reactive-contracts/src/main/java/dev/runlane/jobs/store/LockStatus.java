package dev.runlane.jobs.store;

/** What the renewal of a lock found. */
public enum LockStatus {
  /** The caller has the lock, which was extended. */
  HELD,
  /** As {@link #HELD}, and the job's cancellation was asked for. */
  HELD_CANCELLED,
  /**
   * The caller does not have the lock, and for this hand-out it is lost for good; or the lock had run out at {@code
   * now} while somebody was changing the job, so that anybody may take the job over.
   */
  LOST
}
