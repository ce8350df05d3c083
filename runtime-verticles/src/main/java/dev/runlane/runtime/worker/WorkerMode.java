package dev.runlane.runtime.worker;

import java.util.Arrays;
import java.util.Optional;

/** How long a worker works. The string values never change. */
public enum WorkerMode {
  /** Until it is stopped. */
  POLL("poll"),
  /**
   * Until it is stopped, but it looks for work at its poll interval alone, 30 s unless set, and not for every
   * hint: where consumers are woken for each run, it finds what no wakeup came for. While there is a backlog
   * that wakeups have had half that interval for it works like any other.
   */
  SAFETY_NET("safetyNet"),
  /** Until nothing is due and nothing under way. */
  DRAIN("drain");

  private final String value;

  WorkerMode(String value) {
    this.value = value;
  }

  /** The string in options. */
  public String value() {
    return value;
  }

  /** The mode with this string value, or empty when there is none. */
  public static Optional<WorkerMode> ofValue(String value) {
    return Arrays.stream(values()).filter(mode -> mode.value.equals(value)).findFirst();
  }
}
