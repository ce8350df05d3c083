package dev.runlane.connector.store.key;

/** How much of a person a run may count on. The string values are stored and never change. */
public enum AutomationMode {
  /** Nobody is there. */
  UNATTENDED("unattended"),
  /** The owner answers when asked. */
  ASSISTED("assisted"),
  /** The owner is asked before a run begins. */
  ASK_BEFORE_RUN("ask_before_run"),
  /** Only the owner starts runs. */
  MANUAL_ONLY("manual_only");

  private final String value;

  AutomationMode(String value) {
    this.value = value;
  }

  /** The string that is stored and shown. */
  public String value() {
    return value;
  }

  /** The mode with this string value. Throws {@link IllegalArgumentException} when there is none. */
  public static AutomationMode ofValue(String value) {
    return StoredValues.find(values(), AutomationMode::value, value);
  }
}
