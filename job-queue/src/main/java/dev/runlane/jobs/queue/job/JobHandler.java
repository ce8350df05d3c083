package dev.runlane.jobs.queue.job;

import io.vertx.core.Future;

/** Works on one job. */
@FunctionalInterface
public interface JobHandler {
  /**
   * Called on an event loop and must not block it. A failed future and a thrown exception are a failed
   * attempt.
   *
   * @param signal fires when it is to give up
   */
  Future<JobResult> handle(Job job, JobSignal signal);
}
