package dev.runlane.jobs;

import dev.runlane.json.StorableText;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a hand-out ended. Whatever it says, a job whose cancellation was asked for ends as {@link Cancelled},
 * and one that was discarded is not tried again: {@link dev.runlane.jobs.store.JobTransitions#effective}.
 *
 * <p>What cannot be stored in a message of failure is replaced. Messages are cut to {@link
 * ContractDefaults#MAX_FAILURE_MESSAGE_CHARACTERS} characters and stacks, which begin with the message, to {@value
 * #MOST_TEXT_CHARACTERS}: a failure must be recordable whatever it says.
 */
public sealed interface JobOutcome {
  /** Most characters of a stack = {@value}. */
  int MOST_TEXT_CHARACTERS = 20_000;

  /** Whether the job was handed out in vain: then it uses no attempt. */
  default boolean keepsAttempt() {
    return false;
  }

  /**
   * The handler returned.
   *
   * @param returnvalue what it returned, or null for nothing
   */
  record Completed(@Nullable Json returnvalue) implements JobOutcome {}

  /**
   * The attempt failed, and none follows.
   *
   * @param reason the message
   * @param stacktrace the stack, or null
   */
  record Failed(String reason, @Nullable String stacktrace) implements JobOutcome {
    /** Makes the texts storable and refuses null, except as stack. */
    public Failed {
      reason = message(reason);
      stacktrace = stack(stacktrace);
    }
  }

  /**
   * The attempt failed, and another follows.
   *
   * @param at when the next is due: waiting where that is not after the command's {@code now}, else delayed
   * @param reason the message
   * @param stacktrace the stack, or null
   */
  record Retry(Instant at, String reason, @Nullable String stacktrace) implements JobOutcome {
    /** Cuts the instant to milliseconds, makes the texts storable and refuses null, except as stack. */
    public Retry {
      at = JobTimes.millis(at);
      reason = message(reason);
      stacktrace = stack(stacktrace);
    }
  }

  /**
   * The handler asks to be called later; no attempt is used and the job's failures stay as they are.
   *
   * @param at when it is due: waiting where that is not after the command's {@code now}, else delayed
   */
  record Snooze(Instant at) implements JobOutcome {
    /** Cuts the instant to milliseconds and refuses null. */
    public Snooze {
      at = JobTimes.millis(at);
    }

    @Override
    public boolean keepsAttempt() {
      return true;
    }
  }

  /** The job was cancelled. */
  record Cancelled() implements JobOutcome {}

  /**
   * The worker is lost: the lock has run out. Applied only while it still has, under the token that the job
   * was handed out with. Goes back to waiting, or fails past {@code maxStalls}; no attempt is used.
   */
  record Stalled() implements JobOutcome {
    @Override
    public boolean keepsAttempt() {
      return true;
    }
  }

  /** A message of failure as it is stored. */
  static String message(String text) {
    return StorableText.cut(text, ContractDefaults.MAX_FAILURE_MESSAGE_CHARACTERS);
  }

  private static @Nullable String stack(@Nullable String text) {
    return text == null ? null : StorableText.cut(text, MOST_TEXT_CHARACTERS);
  }
}
