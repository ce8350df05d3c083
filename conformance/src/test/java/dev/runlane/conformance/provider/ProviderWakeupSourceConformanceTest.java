package dev.runlane.conformance.provider;

import dev.runlane.conformance.WakeupSourceConformanceSuite;
import dev.runlane.conformance.fixture.TransportFixture;
import io.vertx.core.Vertx;

class ProviderWakeupSourceConformanceTest extends WakeupSourceConformanceSuite {
  @Override
  protected TransportFixture fixture(Vertx vertx) {
    return new MemoryProviderFixture(transport -> transport);
  }
}
