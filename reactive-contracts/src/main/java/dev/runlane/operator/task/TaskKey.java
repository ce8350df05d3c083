package dev.runlane.operator.task;

import java.util.Arrays;
import java.util.Optional;

/** A key that a task's code makes of a payload: who triggers it from elsewhere must give it. */
public enum TaskKey {
  /** At most one run of it is created while it is owned. */
  IDEMPOTENCY("idempotencyKey"),

  /** At most one run of it is active. */
  SINGLETON("singletonKey"),

  /** The partition of a bounded queue. */
  CONCURRENCY("concurrencyKey");

  private final String value;

  TaskKey(String value) {
    this.value = value;
  }

  /** The value as stored, and the name of the field that gives it; never changes. */
  public String value() {
    return value;
  }

  /** The key of a stored value; empty for one of a later release. */
  public static Optional<TaskKey> ofValue(String value) {
    return Arrays.stream(values()).filter(each -> each.value.equals(value)).findFirst();
  }
}
