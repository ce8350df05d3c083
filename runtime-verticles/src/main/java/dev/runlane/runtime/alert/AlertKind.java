package dev.runlane.runtime.alert;

import java.util.Arrays;
import java.util.Optional;

/** What a rule looks for, and what its threshold means. */
public enum AlertKind {
  /** The part of a task's ended attempts that failed for good, at most 1; of ten ends in the window at least. */
  FAILURE_RATE("failure_rate", 1),
  /** For how many seconds the longest waiting run of a queue has been due. */
  OLDEST_DUE("oldest_due", 1e9),
  /** How many wakeups were given up and are still in the outbox; more than the threshold. */
  DEAD_LETTERS("dead_letters", 1e9),
  /**
   * For how many seconds a process is gone that did not end in order, for the window from then on; of one that is gone
   * for a day nothing is known any more.
   */
  WORKER_GONE("worker_gone", 1e9),
  /** By how many seconds a schedule is late that no operator paused. */
  SCHEDULE_MISSED("schedule_missed", 1e9);

  private final String value;
  private final double most;

  AlertKind(String value, double most) {
    this.value = value;
    this.most = most;
  }

  /** As stored and sent. */
  public String value() {
    return value;
  }

  /** The largest threshold. */
  double most() {
    return most;
  }

  /** The one with this value. */
  public static Optional<AlertKind> ofValue(String value) {
    return Arrays.stream(values()).filter(each -> each.value.equals(value)).findFirst();
  }
}
