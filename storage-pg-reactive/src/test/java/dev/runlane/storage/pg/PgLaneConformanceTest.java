package dev.runlane.storage.pg;

import dev.runlane.conformance.LaneConformanceSuite;
import dev.runlane.conformance.fixture.LaneFixture;
import io.vertx.core.Vertx;

class PgLaneConformanceTest extends LaneConformanceSuite {
  @Override
  protected LaneFixture fixture(Vertx vertx) {
    return new PgLaneFixture(vertx);
  }
}
