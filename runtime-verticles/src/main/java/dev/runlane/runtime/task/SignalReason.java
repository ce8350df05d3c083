package dev.runlane.runtime.task;

/** Why a handler should give up. */
public enum SignalReason {
  /** The run was asked to cancel. */
  CANCELLATION_REQUESTED,
  /**
   * The lease has ended, so others may take the run over, or somebody has done so. A normal return is still recorded
   * unless somebody has; a failure is not.
   */
  LEASE_LOST,
  /** The task's attempt timeout has passed. */
  ATTEMPT_TIMEOUT,
  /** The worker stops; a handler that gives up now has its run resumed elsewhere at once. */
  WORKER_STOPPING
}
