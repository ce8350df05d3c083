package dev.runlane.conformance;

import dev.runlane.conformance.fixture.StepTransportFixture;
import dev.runlane.conformance.kit.ConformanceSuite;
import dev.runlane.conformance.steps.StepSignalConformance;
import org.junit.jupiter.api.Nested;

/** Step transports that have signals. */
public abstract class StepSignalConformanceSuite extends ConformanceSuite<StepTransportFixture> {
  @Nested
  class StepSignal extends StepSignalConformance {}
}
