package dev.runlane.conformance;

import org.junit.jupiter.api.Nested;

/** Every packaged lane. */
public abstract class LaneConformanceSuite extends ConformanceSuite<LaneFixture> {
  @Nested
  class Composition extends LaneCompositionConformance {}

  @Nested
  class Delivery extends LaneDeliveryConformance {}
}
