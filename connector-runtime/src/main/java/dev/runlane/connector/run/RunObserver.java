package dev.runlane.connector.run;

import dev.runlane.connector.protocol.Violation;
import dev.runlane.connector.store.TimelineEvent;

/** Watches one run from inside its process, on the run's context. What it throws ends nothing and is logged. */
public interface RunObserver {
  /** Watches nothing. */
  RunObserver NONE = new RunObserver() {};

  /** An event is about to be stored. */
  default void event(TimelineEvent event) {}

  /** The connector broke the protocol; names it sent are redacted. */
  default void violation(Violation violation) {}
}
