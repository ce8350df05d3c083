package dev.runlane.run;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A failure as it is stored: of an attempt, or of publishing an outbox message.
 *
 * @param code the stable reason; codes of a provider or of the business belong in {@code meta}
 * @param message for people, without secrets or payloads
 * @param retryable whether trying again may succeed
 * @param meta a JSON object with details, or null
 */
public record FailureRecord(
    ErrorCode code,
    String message,
    boolean retryable,
    @Nullable Json meta) {
  /** Refuses null, except as meta. */
  public FailureRecord {
    Objects.requireNonNull(code);
    Objects.requireNonNull(message);
  }
}
