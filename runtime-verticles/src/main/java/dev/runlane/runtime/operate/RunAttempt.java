package dev.runlane.runtime.operate;

import dev.runlane.run.FailureRecord;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a run, as its history records it.
 *
 * @param attempt its number, from 1
 * @param workerId who made it, or null where the history does not say
 * @param startedAt when it began
 * @param endedAt when its end was recorded; null while it is under way, and for one that was lost
 * @param outcome how it ended
 * @param failure why it failed, or null
 */
public record RunAttempt(
    int attempt,
    @Nullable String workerId,
    Instant startedAt,
    @Nullable Instant endedAt,
    Outcome outcome,
    @Nullable FailureRecord failure) {
  /** How an attempt ended. */
  public enum Outcome {
    /** It has not ended. */
    UNDER_WAY,
    /** It succeeded, and its run with it. */
    SUCCEEDED,
    /** It failed, and its run with it. */
    FAILED,
    /** It failed, and another one follows. */
    RETRIED,
    /** It gave its run back to continue later. */
    RELEASED,
    /** Its run was cancelled. */
    CANCELLED,
    /** Its worker was lost: no end was ever recorded. */
    LOST
  }
}
