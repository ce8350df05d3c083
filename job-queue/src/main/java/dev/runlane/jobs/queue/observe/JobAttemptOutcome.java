package dev.runlane.jobs.queue.observe;

/** What an attempt of a job came to. */
public enum JobAttemptOutcome {
  /** The job has completed. */
  COMPLETED("completed"),
  /** It has failed for good. */
  FAILED("failed"),
  /** It was cancelled, and has ended. */
  CANCELLED("cancelled"),
  /** It goes on later: after a failure, or because the handler asked for it. */
  DELAYED("delayed"),
  /** It goes on as soon as a worker has time. */
  WAITING("waiting"),
  /** No outcome was stored: the lock was lost, the store was away or the worker stopped. It is tried again. */
  LOST("lost");

  private final String value;

  JobAttemptOutcome(String value) {
    this.value = value;
  }

  /** Whether the job has ended with it: there is no further attempt unless somebody asks for one. */
  public boolean isEnd() {
    return this == COMPLETED || this == FAILED || this == CANCELLED;
  }

  /** The word for it in metrics and traces. */
  public String value() {
    return value;
  }
}
