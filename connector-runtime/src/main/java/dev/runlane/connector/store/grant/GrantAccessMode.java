package dev.runlane.connector.store.grant;

import dev.runlane.connector.store.key.StoredValues;

/** How often a grant may be used. The string values are stored and never change. */
public enum GrantAccessMode {
  /** Until it expires or is taken back. */
  CONTINUOUS("continuous"),
  /** For one run that succeeds; runs under it keep no cursors. */
  SINGLE_USE("single_use");

  private final String value;

  GrantAccessMode(String value) {
    this.value = value;
  }

  /** The string that is stored and shown. */
  public String value() {
    return value;
  }

  /** The mode with this string value; one that only a later release knows is the one that allows least. */
  public static GrantAccessMode ofValue(String value) {
    return StoredValues.findOr(SINGLE_USE, GrantAccessMode::value, value);
  }
}
