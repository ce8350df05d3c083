package dev.runlane.operator.alert;

import java.util.Arrays;
import java.util.Optional;

/** What happened to an alert that somebody is told of. */
public enum AlertChange {
  /** It was found. */
  OPENED("opened"),
  /** It is found no more. */
  RESOLVED("resolved");

  private final String value;

  AlertChange(String value) {
    this.value = value;
  }

  /** As stored and told. */
  public String value() {
    return value;
  }

  /** The one with this value. */
  public static Optional<AlertChange> ofValue(String value) {
    return Arrays.stream(values()).filter(each -> each.value.equals(value)).findFirst();
  }
}
