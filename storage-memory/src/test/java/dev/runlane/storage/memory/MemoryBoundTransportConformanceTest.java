package dev.runlane.storage.memory;

import dev.runlane.conformance.TransportConformanceSuite;
import dev.runlane.conformance.fixture.TransportFixture;
import io.vertx.core.Vertx;

class MemoryBoundTransportConformanceTest extends TransportConformanceSuite {
  @Override
  protected TransportFixture fixture(Vertx vertx) {
    return new MemoryTransportFixture(MemoryTransportFixture.bound(), transport -> transport);
  }
}
