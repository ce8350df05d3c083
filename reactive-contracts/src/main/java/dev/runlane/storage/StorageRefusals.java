package dev.runlane.storage;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;

/** What a failure says of whose fault it is that a storage does not take something. */
public final class StorageRefusals {
  private StorageRefusals() {}

  /**
   * Whether the backend itself has refused what was asked of it, for a reason that is neither a race nor in the
   * command: a trigger or constraint of somebody else's, a table, column or permission that is missing, damaged data.
   * Trying again is of use once somebody has mended that, and not before, so the failure is not {@link
   * RunlaneException#isRetryable retryable}; who would lose finished work tries again for a while all the same.
   *
   * <p>False for an outage, a conflict, what is invalid, impossible or given up, and for failures that are not of
   * Runlane's own form, as those of the application's code are.
   */
  public static boolean mayEnd(Throwable failure) {
    if (!(failure instanceof RunlaneException refusal)) {
      return false;
    }
    boolean isConstraint = refusal.code() == ErrorCode.ADAPTER_CONTRACT_VIOLATION
        && refusal.getCause() != null; // the driver's: the constraint need not be one of ours
    return isConstraint || refusal.code() == ErrorCode.INTERNAL_ERROR;
  }
}
