package dev.runlane.connector.store.key;

/** What set a run off. The string values are stored and never change. */
public enum TriggerKind {
  /** The owner's run now. */
  MANUAL("manual"),
  /** A schedule that was due. */
  SCHEDULED("scheduled"),
  /** A schedule's further attempt after a failure. */
  RETRY("retry"),
  /** A request from outside. */
  WEBHOOK("webhook");

  private final String value;

  TriggerKind(String value) {
    this.value = value;
  }

  /** The string that is stored and shown. */
  public String value() {
    return value;
  }

  /** The kind with this string value. Throws {@link IllegalArgumentException} when there is none. */
  public static TriggerKind ofValue(String value) {
    return StoredValues.find(values(), TriggerKind::value, value);
  }
}
