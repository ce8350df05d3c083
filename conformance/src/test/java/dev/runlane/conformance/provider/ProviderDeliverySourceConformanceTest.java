package dev.runlane.conformance.provider;

import dev.runlane.conformance.DeliverySourceConformanceSuite;
import dev.runlane.conformance.fixture.TransportFixture;
import io.vertx.core.Vertx;

class ProviderDeliverySourceConformanceTest extends DeliverySourceConformanceSuite {
  @Override
  protected TransportFixture fixture(Vertx vertx) {
    return new MemoryProviderFixture(transport -> transport);
  }
}
