package dev.runlane.jobs.queue.process;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import io.vertx.core.Future;

/** Failures that concern one job. */
public final class JobFailures {
  private JobFailures() {}

  /** There is no such job. */
  public static RunlaneException notFound(String queueName, String jobId) {
    return RunlaneException.of(ErrorCode.JOB_NOT_FOUND, "queue %s has no job %s", queueName, jobId)
        .withMeta("queueName", queueName)
        .withMeta("jobId", jobId);
  }

  /** The job is in another state than the call needs, or is another worker's by now. */
  public static RunlaneException wrongState(
      String queueName, String jobId, String current, String wanted) {
    return RunlaneException.conflict(
            StorageConflictKind.JOB_STATE,
            "job %s of queue %s is %s, not %s",
            jobId,
            queueName,
            current,
            wanted)
        .withMeta("jobId", jobId)
        .withMeta("currentState", current)
        .withMeta("expectedStates", wanted);
  }

  /** Turns a job's unknown state, as the store reports it, into "not found". */
  public static <T> Future<T> unknownIsNotFound(Throwable failure, String queueName, String jobId) {
    boolean unknown = failure instanceof RunlaneException known
        && known.isConflict(StorageConflictKind.JOB_STATE)
        && "unknown".equals(known.meta().get("currentState"));
    return Future.failedFuture(unknown ? notFound(queueName, jobId) : failure);
  }
}
