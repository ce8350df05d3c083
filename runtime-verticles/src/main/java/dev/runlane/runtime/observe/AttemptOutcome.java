package dev.runlane.runtime.observe;

import dev.runlane.run.RunRecord;

/** What one attempt came to. The string values are used as labels and never change. */
public enum AttemptOutcome {
  /** The run has succeeded. */
  SUCCEEDED("succeeded"),
  /** The run has failed for good. */
  FAILED("failed"),
  /** The attempt failed, and another one is scheduled. */
  RETRIED("retried"),
  /** The run continues later: the handler asked for it, it waits for steps, or its worker stopped. */
  RELEASED("released"),
  /** The run was cancelled while the attempt went on. */
  CANCELLED("cancelled"),
  /** Nothing was stored: the lease was lost or given up, and the attempt is made again. */
  LOST("lost");

  private final String value;

  AttemptOutcome(String value) {
    this.value = value;
  }

  /** The string that is used as a label, such as {@code succeeded}. */
  public String value() {
    return value;
  }

  /** The outcome that left the run as it is now. */
  public static AttemptOutcome of(RunRecord run) {
    return switch (run.status()) {
      case SUCCEEDED -> SUCCEEDED;
      case FAILED -> FAILED;
      case CANCELLED -> CANCELLED;
      case RETRYING -> RETRIED;
      case QUEUED, SCHEDULED, RUNNING, RELEASED, CANCELLATION_REQUESTED -> RELEASED;
    };
  }
}
