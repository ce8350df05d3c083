package dev.runlane.storage.memory;

import dev.runlane.conformance.TransportFixture;
import dev.runlane.conformance.WakeupSourceConformanceSuite;
import io.vertx.core.Vertx;

class MemoryWakeupSourceConformanceTest extends WakeupSourceConformanceSuite {
  @Override
  protected TransportFixture fixture(Vertx vertx) {
    return new MemoryTransportFixture(new MemoryTransport(), transport -> transport);
  }
}
