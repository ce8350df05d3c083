package dev.runlane.steps.result;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Why a step failed, as it travels between languages.
 *
 * @param message for people
 * @param code a reason of the handler's own, or null
 * @param retryable false: do not try again; null says nothing, which counts as true
 * @param stack where it happened, or null
 */
public record StepError(
    String message,
    @Nullable String code,
    @Nullable Boolean retryable,
    @Nullable String stack) {
  /** Refuses null as message. */
  public StepError {
    Objects.requireNonNull(message);
  }

  /** A failure that may be tried again. */
  public static StepError of(@Nullable String code, String message) {
    return new StepError(message, code, null, null);
  }

  /** A failure that is not tried again. */
  public static StepError fatal(@Nullable String code, String message) {
    return new StepError(message, code, false, null);
  }

  /** Whether the step may be tried again: always, unless the failure says otherwise. */
  public boolean mayBeRetried() {
    return !Boolean.FALSE.equals(retryable);
  }
}
