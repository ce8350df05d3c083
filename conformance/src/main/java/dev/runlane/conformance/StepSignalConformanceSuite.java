package dev.runlane.conformance;

import org.junit.jupiter.api.Nested;

/** Step transports that have signals. */
public abstract class StepSignalConformanceSuite extends ConformanceSuite<StepTransportFixture> {
  @Nested
  class StepSignal extends StepSignalConformance {}
}
