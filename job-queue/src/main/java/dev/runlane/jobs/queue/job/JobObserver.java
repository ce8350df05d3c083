package dev.runlane.jobs.queue.job;

import dev.runlane.run.Json;
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
}
