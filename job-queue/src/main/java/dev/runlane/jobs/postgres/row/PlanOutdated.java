package dev.runlane.jobs.postgres.row;

import dev.runlane.jobs.JobRef;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;

/** What a transaction was to write was decided before somebody else stored a job; it is begun anew. */
public final class PlanOutdated extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private PlanOutdated(String message) {
    super(message, null, false, false);
  }

  /** As whoever runs a transaction of his own sees it, which he may begin anew. */
  public static RunlaneException by(JobRef taken) {
    String message =
        "job " + taken.jobId() + " of queue " + taken.queueName() + " was stored meanwhile";
    return RunlaneException.unavailable(
        ErrorCode.STORAGE_UNAVAILABLE, new PlanOutdated(message), "%s", message);
  }
}
