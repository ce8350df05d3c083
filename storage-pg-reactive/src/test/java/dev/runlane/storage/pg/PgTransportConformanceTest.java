package dev.runlane.storage.pg;

import dev.runlane.conformance.TransportConformanceSuite;
import dev.runlane.conformance.fixture.TransportFixture;
import io.vertx.core.Vertx;

class PgTransportConformanceTest extends TransportConformanceSuite {
  @Override
  protected TransportFixture fixture(Vertx vertx) {
    return new PgTransportFixture(vertx);
  }
}
