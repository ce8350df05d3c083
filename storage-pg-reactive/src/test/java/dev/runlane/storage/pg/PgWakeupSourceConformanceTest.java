package dev.runlane.storage.pg;

import dev.runlane.conformance.WakeupSourceConformanceSuite;
import dev.runlane.conformance.fixture.TransportFixture;
import io.vertx.core.Vertx;

class PgWakeupSourceConformanceTest extends WakeupSourceConformanceSuite {
  @Override
  protected TransportFixture fixture(Vertx vertx) {
    return new PgTransportFixture(vertx);
  }
}
