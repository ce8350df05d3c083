package dev.runlane.connector.protocol.message;

import org.jspecify.annotations.Nullable;

/**
 * Why a connector did not succeed, in its own words. {@link #toString()} does not tell the message.
 *
 * @param message what it says; not blank, not redacted
 * @param code a short name such as {@code rate_limited}, or null
 * @param retryable whether another run may succeed; null when it does not say
 * @param hint what would help, or null
 */
public record ConnectorError(
    String message,
    @Nullable String code,
    @Nullable Boolean retryable,
    @Nullable RecoveryHint hint) {
  @Override
  public String toString() {
    return "ConnectorError[" + code + ", retryable " + retryable + "]";
  }
}
