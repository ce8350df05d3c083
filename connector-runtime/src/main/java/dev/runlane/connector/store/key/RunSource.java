package dev.runlane.connector.store.key;

/** Who wanted a run. The string values are stored and never change. */
public enum RunSource {
  /** The owner, now. */
  MANUAL("manual"),
  /** A schedule, retries of its runs included. */
  SCHEDULED("scheduled"),
  /** Somebody's request from outside. */
  WEBHOOK("webhook");

  private final String value;

  RunSource(String value) {
    this.value = value;
  }

  /** The string that is stored and shown. */
  public String value() {
    return value;
  }

  /** The source with this string value. Throws {@link IllegalArgumentException} when there is none. */
  public static RunSource ofValue(String value) {
    return StoredValues.find(values(), RunSource::value, value);
  }
}
