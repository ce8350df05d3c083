package dev.runlane.jobs.queue.job;

/** Works on one job on a thread that may be blocked. */
@FunctionalInterface
public interface BlockingJobHandler {
  /**
   * Called on a virtual thread where the JVM has them, else on a thread of a bounded pool. What it throws is a
   * failed attempt.
   *
   * @param signal fires when it is to give up
   */
  JobResult handle(Job job, JobSignal signal) throws Exception;
}
