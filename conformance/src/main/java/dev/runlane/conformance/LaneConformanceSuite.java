package dev.runlane.conformance;

import dev.runlane.conformance.fixture.LaneFixture;
import dev.runlane.conformance.kit.ConformanceSuite;
import dev.runlane.conformance.lane.LaneCompositionConformance;
import dev.runlane.conformance.lane.LaneDeliveryConformance;
import org.junit.jupiter.api.Nested;

/** Every packaged lane. */
public abstract class LaneConformanceSuite extends ConformanceSuite<LaneFixture> {
  @Nested
  class Composition extends LaneCompositionConformance {}

  @Nested
  class Delivery extends LaneDeliveryConformance {}
}
