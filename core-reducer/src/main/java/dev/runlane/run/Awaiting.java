package dev.runlane.run;

import java.util.Arrays;
import java.util.Optional;

/** What a released run awaits beside its due time. The string values are stored and sent and never change. */
public enum Awaiting {
  /** Results of steps: the first that arrives makes the run due. */
  STEPS("steps");

  private final String value;

  Awaiting(String value) {
    this.value = value;
  }

  /** The string that is stored and sent, such as {@code steps}. */
  public String value() {
    return value;
  }

  /** The one with this string value, or empty when there is none. */
  public static Optional<Awaiting> ofValue(String value) {
    return Arrays.stream(values()).filter(each -> each.value.equals(value)).findFirst();
  }
}
