package dev.runlane.connector.protocol.start;

import java.util.Arrays;
import java.util.Optional;

/** How much a run collects. The string values never change. */
public enum CollectionMode {
  /** Everything in scope, as if nothing had been collected before. */
  FULL_REFRESH("full_refresh"),
  /** What is new since the committed cursors. */
  INCREMENTAL("incremental");

  private final String value;

  CollectionMode(String value) {
    this.value = value;
  }

  /** The string that is sent and stored. */
  public String value() {
    return value;
  }

  /** The mode with this string value, or empty when there is none. */
  public static Optional<CollectionMode> ofValue(String value) {
    return Arrays.stream(values()).filter(mode -> mode.value.equals(value)).findFirst();
  }
}
