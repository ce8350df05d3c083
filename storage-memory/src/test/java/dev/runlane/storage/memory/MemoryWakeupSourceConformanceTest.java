package dev.runlane.storage.memory;

import dev.runlane.conformance.WakeupSourceConformanceSuite;
import dev.runlane.conformance.fixture.TransportFixture;
import io.vertx.core.Vertx;

class MemoryWakeupSourceConformanceTest extends WakeupSourceConformanceSuite {
  @Override
  protected TransportFixture fixture(Vertx vertx) {
    return new MemoryTransportFixture(new MemoryTransport(), transport -> transport);
  }
}
