package dev.runlane.simulation.history;

import java.time.Instant;

/** Which limit a queue had, where it changes. */
@FunctionalInterface
public interface LimitAt {
  /**
   * The limit at an instant.
   *
   * @param configured the one of the usual policy
   */
  int limit(String queue, Instant at, int configured);
}
