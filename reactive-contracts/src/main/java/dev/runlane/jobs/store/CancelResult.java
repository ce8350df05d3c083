package dev.runlane.jobs.store;

import java.util.Objects;

/** The result of a request to cancel a job. */
public sealed interface CancelResult {
  /**
   * The job was open and with no worker; it has failed as cancelled.
   *
   * @param change all that was changed
   */
  record Ended(FinishedJob change) implements CancelResult {
    /** Refuses null. */
    public Ended {
      Objects.requireNonNull(change);
    }
  }

  /** The job is active; its worker will be notified and ends it. */
  record Requested() implements CancelResult {}

  /** The job is terminal, unknown, or its cancellation was asked for before. Nothing was changed. */
  record Unchanged() implements CancelResult {}
}
