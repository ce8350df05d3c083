package dev.runlane.jobs.queue.job;

/** Why a handler should give up. */
public enum JobSignalReason {
  /** The job was cancelled. However the handler ends now, the job ends as cancelled. */
  CANCELLED,
  /** Another worker may have the job by now; whatever the handler answers is dropped. */
  LOCK_LOST,
  /** The job's timeout has passed. However the handler ends now, the attempt fails. */
  TIMEOUT,
  /** The worker stops; a job whose handler gives up now is handed back and uses no attempt. */
  WORKER_STOPPING
}
