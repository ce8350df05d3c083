package dev.runlane.jobs.queue.job;

import io.vertx.core.Future;
import java.util.List;

/** Works on several jobs at once. */
@FunctionalInterface
public interface BatchJobHandler {
  /**
   * Called on an event loop and must not block it. Answers one result for each job, in the order of the jobs. A
   * failed future, a thrown exception and a wrong number of results fail every job of the batch.
   *
   * @param jobs at least one and at most the batch size, in the order they were fetched
   * @param signal one for all of them: fires when the first of them is to be given up
   */
  Future<List<JobResult>> handle(List<Job> jobs, JobSignal signal);
}
