package dev.runlane.connectorkit.message;

import java.util.Locale;

/** What an {@link Interaction} wants of the owner. */
public enum InteractionKind {
  /** A name and a password, or what else logs in. */
  CREDENTIALS,
  /** A one-time code. */
  OTP,
  /** Something done elsewhere, mostly in the browser. */
  MANUAL_ACTION;

  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
