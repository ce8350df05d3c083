package dev.runlane.conformance;

import org.junit.jupiter.api.Nested;

/** The consumers of a transport whose {@code deliveries()} is present. */
public abstract class DeliverySourceConformanceSuite extends ConformanceSuite<TransportFixture> {
  @Nested
  class Deliveries extends DeliverySourceConformance {}
}
