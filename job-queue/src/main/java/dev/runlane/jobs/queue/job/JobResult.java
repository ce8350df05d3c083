package dev.runlane.jobs.queue.job;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.RunlaneException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How a handler ended. */
public sealed interface JobResult {
  /** The job completed, with nothing to return. */
  static JobResult done() {
    return Done.NOTHING;
  }

  /**
   * The job completed with this return value, which is stored as JSON. A value that is too large, too deep or
   * has no JSON form fails the job for good.
   */
  static JobResult done(@Nullable Object value) {
    return new Done(value);
  }

  /** The attempt failed; by the job's options it is tried again. The same as a failed future. */
  static JobResult failed(Throwable error) {
    return new Failed(error);
  }

  /** The job failed for good, whatever attempts are left. */
  static JobResult unrecoverable(String reason) {
    return new Unrecoverable(reason, null);
  }

  /** The same, with the failure whose stack is kept. */
  static JobResult unrecoverable(String reason, Throwable cause) {
    return new Unrecoverable(reason, cause);
  }

  /**
   * The job is to be handed out again after {@code duration}; no attempt is used. Throws {@code
   * ValidationFailed} for a negative one.
   */
  static JobResult snooze(Duration duration) {
    return new Snoozed(duration);
  }

  /**
   * The job completed.
   *
   * @param value what it returns, or null
   */
  record Done(@Nullable Object value) implements JobResult {
    private static final Done NOTHING = new Done(null);
  }

  /**
   * The attempt failed.
   *
   * @param error why
   */
  record Failed(Throwable error) implements JobResult {
    /** Refuses null. */
    public Failed {
      Objects.requireNonNull(error);
    }
  }

  /**
   * The job failed for good.
   *
   * @param reason why
   * @param cause the failure behind it, or null
   */
  record Unrecoverable(String reason, @Nullable Throwable cause) implements JobResult {
    /** Refuses a null reason. */
    public Unrecoverable {
      Objects.requireNonNull(reason);
    }
  }

  /**
   * The job waits.
   *
   * @param duration how long, from 0 to 36 500 days
   */
  record Snoozed(Duration duration) implements JobResult {

    /** Throws {@code ValidationFailed} for a duration out of range. */
    public Snoozed {
      if (duration.isNegative() || duration.compareTo(ContractDefaults.LONGEST_DURATION) > 0) {
        throw RunlaneException.validationFailed(
            "a job can be snoozed for 0 to %s, but not for %s",
            ContractDefaults.LONGEST_DURATION, duration);
      }
    }
  }
}
