package dev.runlane.runtime.host;

import java.util.Arrays;
import java.util.Optional;

/** When the wakeup of a triggered run is published. The string values never change. */
public enum DispatchMode {
  /** Right after the run is committed, behind the call that created it, which does not wait for it. */
  EAGER("eager"),
  /** By the next sweep of an outbox publisher. */
  DEFERRED("deferred");

  private final String value;

  DispatchMode(String value) {
    this.value = value;
  }

  /** The string in options. */
  public String value() {
    return value;
  }

  /** The mode with this string value, or empty when there is none. */
  public static Optional<DispatchMode> ofValue(String value) {
    return Arrays.stream(values()).filter(mode -> mode.value.equals(value)).findFirst();
  }
}
