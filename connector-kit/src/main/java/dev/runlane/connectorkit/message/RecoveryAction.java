package dev.runlane.connectorkit.message;

import java.util.Locale;

/** What would mend a failure or a skip. */
public enum RecoveryAction {
  /** The runtime tries again by itself. */
  RETRY_BY_RUNTIME,
  /** A newer connector is needed. */
  RETRY_ON_CONNECTOR_UPGRADE,
  /** The owner gives new credentials. */
  REFRESH_CREDENTIALS,
  /** The owner does something by hand, mostly in a browser. */
  MANUAL_ACTION_REQUIRED,
  /** The page's structure changed. */
  UPDATE_SELECTOR,
  /** The source has to allow it again. */
  UPSTREAM_UNBLOCK,
  /** Nothing does. */
  NOT_RETRIABLE,
  /** Not known. */
  UNKNOWN;

  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
