package dev.runlane.jobs.queue.observe;

import dev.runlane.jobs.JobData;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Is notified of what the queues, flows and workers of a {@link dev.runlane.jobs.queue.Jobs Jobs} do, as they do it:
 * the place where traces are connected, by {@code JobsBuilder.observer}. It learns of what this process does, not of
 * what others do with the same jobs.
 *
 * <p>Every method may be called by any thread, event loops among them: it must return at once and must not block. What
 * it throws is logged, a few lines however often, and changes nothing for the job. Payloads in what it is given are
 * the application's data.
 */
public interface JobsObserver {
  /**
   * A job is about to be added, in the turn of the call that adds it: whatever is current there is its caller's. The
   * call may still fail, or find that another job stands for this one. Jobs that schedules and series add are not
   * notified of.
   *
   * @param carrier what the caller gave for the job to carry; for a job of a flow that was given nothing what its
   *     parent carries; or null
   * @return what the job carries, as {@code JobOptions.traceCarrier}; the given one where there is nothing to add
   */
  default @Nullable Map<String, String> jobAdded(
      String queueName, String jobName, @Nullable Map<String, String> carrier) {
    return carrier;
  }

  /**
   * An attempt has begun: a worker of this process has the lock of these jobs, and calls its handler for them next.
   *
   * @param jobs one, or those of a batch, as they were handed out; not empty
   * @return who is notified of the rest of the attempt; not null
   */
  default JobAttemptObserver attemptStarted(List<JobData> jobs) {
    return JobAttemptObserver.NONE;
  }
}
