package dev.runlane.conformance;

import dev.runlane.conformance.fixture.TransportFixture;
import dev.runlane.conformance.kit.ConformanceSuite;
import dev.runlane.conformance.transport.DeliveryModelConformance;
import dev.runlane.conformance.transport.DeliverySourceConformance;
import org.junit.jupiter.api.Nested;

/** The consumers of a transport whose {@code deliveries()} is present. */
public abstract class DeliverySourceConformanceSuite extends ConformanceSuite<TransportFixture> {
  @Nested
  class Deliveries extends DeliverySourceConformance {}

  @Nested
  class Model extends DeliveryModelConformance {}
}
