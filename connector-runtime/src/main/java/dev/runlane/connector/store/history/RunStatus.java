package dev.runlane.connector.store.history;

import dev.runlane.connector.store.key.StoredValues;

/** How a run, or the lack of one, shows in the history. The string values are stored and never change. */
public enum RunStatus {
  /** It completed. */
  SUCCEEDED("succeeded"),
  /** It failed, or its process went away. */
  FAILED("failed"),
  /** It was cancelled, by the owner or by the connector itself. */
  CANCELLED("cancelled"),
  /** It was never started. */
  SKIPPED("skipped");

  private final String value;

  RunStatus(String value) {
    this.value = value;
  }

  /** The string that is stored and shown. */
  public String value() {
    return value;
  }

  /** The status with this string value. Throws {@link IllegalArgumentException} when there is none. */
  public static RunStatus ofValue(String value) {
    return StoredValues.find(values(), RunStatus::value, value);
  }
}
