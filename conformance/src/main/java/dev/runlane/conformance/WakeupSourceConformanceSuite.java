package dev.runlane.conformance;

import org.junit.jupiter.api.Nested;

/** The wakeups of a transport whose {@code wakeups()} is present. */
public abstract class WakeupSourceConformanceSuite extends ConformanceSuite<TransportFixture> {
  @Nested
  class Wakeups extends WakeupSourceConformance {}
}
