package dev.runlane.storage.pg;

import dev.runlane.conformance.TransportFixture;
import dev.runlane.conformance.WakeupSourceConformanceSuite;
import io.vertx.core.Vertx;

class PgWakeupSourceConformanceTest extends WakeupSourceConformanceSuite {
  @Override
  protected TransportFixture fixture(Vertx vertx) {
    return new PgTransportFixture(vertx);
  }
}
