package dev.runlane.jobs.queue.job;

import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import java.util.Optional;

/** Follows one job. Each method does nothing unless overridden; called on the context that subscribed. */
public interface JobObserver {
  /** The job is with a worker. */
  default void active(Job job) {}

  /** Its handler reported progress. */
  default void progress(Job job, double progress) {}

  /** It completed. */
  default void completed(Job job, Optional<Json> returnvalue) {}

  /** It failed for good. */
  default void failed(Job job, String reason) {}

  /** It ended as cancelled. */
  default void cancelled(Job job) {}

  /**
   * Nothing more is heard of it. It may not have ended where the job queue is closed, or as many jobs as may be are
   * watched already, which passes: both are {@code OperationCancelled}. Where there is no such job, or none any more
   * and nobody can tell how it ended, it is {@code JobNotFound}. Where the Vert.x of the job queue is closed it is
   * called within the call that subscribes.
   */
  default void unobserved(RunlaneException reason) {}
}
