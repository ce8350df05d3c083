package dev.runlane.connector.protocol.message;

import java.util.Arrays;
import java.util.Optional;

/** How a question to the owner ended. The string values never change. */
public enum InteractionStatus {
  /** The owner answered. */
  SUCCESS("success"),
  /** The owner would not, or could not any more. */
  CANCELLED("cancelled"),
  /** Nobody answered in time. */
  TIMEOUT("timeout");

  private final String value;

  InteractionStatus(String value) {
    this.value = value;
  }

  /** The string that is sent and stored. */
  public String value() {
    return value;
  }

  /** The status with this string value, or empty when there is none. */
  public static Optional<InteractionStatus> ofValue(String value) {
    return Arrays.stream(values()).filter(status -> status.value.equals(value)).findFirst();
  }
}
