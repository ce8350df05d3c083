package dev.runlane.jobs.queue.observe;

import dev.runlane.jobs.JobData;
import dev.runlane.run.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * Is notified of what becomes of one call of a handler, for one job or a batch. What one throws is logged and changes
 * nothing.
 */
public interface JobAttemptObserver {
  /** Listens to nothing. */
  JobAttemptObserver NONE = new JobAttemptObserver() {};

  /**
   * The handler is called on this thread, which may be one that blocks. Any thread.
   *
   * @return is run when the call has returned, on the same thread; not null
   */
  default Runnable turn() {
    return () -> {};
  }

  /**
   * The attempt is over for one of its jobs; each is notified of once.
   *
   * @param job as it was handed out
   * @param outcome what became of it
   * @param error what the attempt failed with, also where it is made again; null: it did not fail
   */
  default void ended(JobData job, JobAttemptOutcome outcome, @Nullable ErrorCode error) {}
}
