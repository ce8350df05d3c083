package dev.runlane.runtime.attempt;

import dev.runlane.run.FailureRecord;
import dev.runlane.run.Json;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How a handler's attempt ended, in terms that can be stored. */
sealed interface AttemptEnd {
  /** Whether the handler failed, for whatever reason. */
  default boolean isFailure() {
    return this instanceof GaveUp || this instanceof Failed;
  }

  /** What the handler threw, for the log; null where that is not told. */
  default @Nullable Throwable cause() {
    return null;
  }

  /**
   * The work is done.
   *
   * @param output checked JSON, or null
   */
  record Done(@Nullable Json output) implements AttemptEnd {}

  /**
   * The run goes on later.
   *
   * @param delay not negative
   * @param reason why, or null
   * @param meta a checked JSON object, or null
   */
  record Released(
      Duration delay, @Nullable String reason, @Nullable Json meta) implements AttemptEnd {}

  /** Nothing is left but to wait for steps, until {@code resumeAt} at the latest. */
  record Suspended(Instant resumeAt) implements AttemptEnd {}

  /** The handler gave up because of its signal. */
  record GaveUp(FailureRecord failure) implements AttemptEnd {}

  /**
   * The handler failed.
   *
   * @param cause what it threw, for the log only; null where nothing was thrown
   */
  record Failed(FailureRecord failure, @Nullable Throwable cause) implements AttemptEnd {
    Failed(FailureRecord failure) {
      this(failure, null);
    }
  }
}
