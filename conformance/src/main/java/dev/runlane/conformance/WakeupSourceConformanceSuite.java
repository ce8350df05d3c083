package dev.runlane.conformance;

import dev.runlane.conformance.fixture.TransportFixture;
import dev.runlane.conformance.kit.ConformanceSuite;
import dev.runlane.conformance.transport.WakeupModelConformance;
import dev.runlane.conformance.transport.WakeupSourceConformance;
import org.junit.jupiter.api.Nested;

/** The wakeups of a transport whose {@code wakeups()} is present. */
public abstract class WakeupSourceConformanceSuite extends ConformanceSuite<TransportFixture> {
  @Nested
  class Wakeups extends WakeupSourceConformance {}

  @Nested
  class Model extends WakeupModelConformance {}
}
