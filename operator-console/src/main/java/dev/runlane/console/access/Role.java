package dev.runlane.console.access;

import java.util.Arrays;

/** What a caller may do. Each role may do what the ones before it may. The string values never change. */
public enum Role {
  /** Reads. */
  VIEWER("viewer"),
  /** Acts on runs, jobs and connectors: triggers, cancels, retries, pauses. */
  OPERATOR("operator"),
  /** Removes for ever, and sees what is masked. */
  ADMIN("admin");

  private final String value;

  Role(String value) {
    this.value = value;
  }

  /** The string in options and answers. */
  public String value() {
    return value;
  }

  /** Whether this role may do what {@code wanted} may. */
  public boolean covers(Role wanted) {
    return compareTo(wanted) >= 0;
  }

  /** The role with this string value. Throws {@code IllegalArgumentException} when there is none. */
  public static Role ofValue(String value) {
    return Arrays.stream(values())
        .filter(role -> role.value.equals(value))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("unknown role " + value));
  }
}
