package dev.runlane.runtime;

/** Why a handler should give up. */
public enum SignalReason {
  /** The run was asked to cancel. */
  CANCELLATION_REQUESTED,
  /** Another worker may own the run by now; whatever the attempt returns is not recorded. */
  LEASE_LOST,
  /** The task's attempt timeout has passed. */
  ATTEMPT_TIMEOUT,
  /** The worker stops; a handler that gives up now has its run resumed elsewhere at once. */
  WORKER_STOPPING
}
