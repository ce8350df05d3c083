package dev.runlane.connector.protocol.gap;

import java.util.Locale;

/** How much a known gap asks of anybody. The string values never change. */
public enum GapSeverity {
  /** Somebody has to do something. */
  ACTIONABLE,
  /** It is as it should be. */
  INFORMATIONAL,
  /** A later run fills it on purpose. */
  RECOVERABLE,
  /** It goes away by itself. */
  TRANSIENT;

  private final String value = name().toLowerCase(Locale.ROOT);

  /** The string that is stored. */
  public String value() {
    return value;
  }
}
