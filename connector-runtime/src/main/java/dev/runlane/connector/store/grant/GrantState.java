package dev.runlane.connector.store.grant;

import dev.runlane.connector.store.key.StoredValues;

/** Whether a grant may be used. The string values are stored and never change. */
public enum GrantState {
  /** It may, until it expires. */
  ACTIVE("active"),
  /** It was for one run, which has succeeded. */
  CONSUMED("consumed"),
  /** It was taken back. */
  REVOKED("revoked");

  private final String value;

  GrantState(String value) {
    this.value = value;
  }

  /** The string that is stored and shown. */
  public String value() {
    return value;
  }

  /** The state with this string value; one that only a later release knows lets nobody use the grant. */
  public static GrantState ofValue(String value) {
    return StoredValues.findOr(REVOKED, GrantState::value, value);
  }
}
