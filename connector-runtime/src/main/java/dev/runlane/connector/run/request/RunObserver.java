package dev.runlane.connector.run.request;

import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.store.timeline.TimelineEvent;

/** Watches one run from inside its process, on the run's context. What it throws ends nothing and is logged. */
public interface RunObserver {
  /** Watches nothing. */
  RunObserver NONE = new RunObserver() {};

  /** An event is about to be stored, or left out of the timeline, since there are too many of its kind. */
  default void event(TimelineEvent event) {}

  /** The connector broke the protocol; names it sent are redacted. */
  default void violation(Violation violation) {}
}
