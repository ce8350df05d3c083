package dev.runlane.conformance.transport.drawn;

/** What sequences of commands are about besides publishing. */
public enum Subject {
  /** Nothing else. */
  PUBLISHING,
  /** Listeners that come and go. */
  WAKEUPS,
  /** Consumers that come and go. */
  DELIVERIES
}
