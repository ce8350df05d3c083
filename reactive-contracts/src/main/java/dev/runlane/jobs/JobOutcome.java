package dev.runlane.jobs;

import dev.runlane.json.StorableText;
import dev.runlane.run.Json;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a hand-out ended. Whatever it says, a job whose cancellation was asked for ends as {@link Cancelled},
 * and one that was discarded is not tried again: {@link dev.runlane.jobs.store.JobTransitions#effective}.
 *
 * <p>What cannot be stored in a message of failure is replaced, and messages and stacks are cut to {@value
 * #MOST_TEXT_CHARACTERS} characters: a failure must be recordable whatever it says.
 */
public sealed interface JobOutcome {
  /** Most characters of a message or stack = {@value}. */
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
      reason = storable(reason);
      stacktrace = stacktrace == null ? null : storable(stacktrace);
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
      reason = storable(reason);
      stacktrace = stacktrace == null ? null : storable(stacktrace);
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

  private static String storable(String text) {
    Objects.requireNonNull(text);
    boolean fits = text.length() <= MOST_TEXT_CHARACTERS;
    return StorableText.repaired(fits ? text : text.substring(0, MOST_TEXT_CHARACTERS));
  }
}
