package dev.runlane.conformance.provider;

import dev.runlane.conformance.TransportConformanceSuite;
import dev.runlane.conformance.fixture.TransportFixture;
import io.vertx.core.Vertx;

class ProviderTransportConformanceTest extends TransportConformanceSuite {
  @Override
  protected TransportFixture fixture(Vertx vertx) {
    return new MemoryProviderFixture(transport -> transport);
  }
}
