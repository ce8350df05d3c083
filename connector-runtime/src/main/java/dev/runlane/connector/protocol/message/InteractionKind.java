package dev.runlane.connector.protocol.message;

import java.util.Arrays;
import java.util.Optional;

/** What a connector asks its owner for. The string values never change. */
public enum InteractionKind {
  /** A name and its secret. */
  CREDENTIALS("credentials"),
  /** A one-time code. */
  OTP("otp"),
  /** Something done by hand, such as a visit to a page. */
  MANUAL_ACTION("manual_action");

  private final String value;

  InteractionKind(String value) {
    this.value = value;
  }

  /** The string that is sent and stored. */
  public String value() {
    return value;
  }

  /** The kind with this string value, or empty when there is none. */
  public static Optional<InteractionKind> ofValue(String value) {
    return Arrays.stream(values()).filter(kind -> kind.value.equals(value)).findFirst();
  }
}
