package dev.runlane.jobs.queue;

import dev.runlane.jobs.JobOptions;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Adds jobs to a queue in a transaction of the caller's: they exist if and only if it commits. Made by {@link
 * JobQueue#inTransaction}. Payloads, options and failures are those of the queue. No worker is notified; {@link
 * JobQueue#wake()} does that after the commit.
 */
public interface JobAdder {
  /**
   * Adds a job.
   *
   * @return the id of the job that stands for it
   */
  default Future<String> add(String jobName, @Nullable Object data, JobOptions options) {
    return addBulk(List.of(new JobEntry(jobName, data, options))).map(ids -> ids.get(0));
  }

  /** As {@link #add(String, Object, JobOptions)}, with the queue's options. */
  default Future<String> add(String jobName, @Nullable Object data) {
    return add(jobName, data, JobOptions.NONE);
  }

  /** As {@link #add(String, Object, JobOptions)} for each entry, answered in their order. */
  Future<List<String>> addBulk(List<JobEntry> entries);
}
