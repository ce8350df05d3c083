package dev.runlane.storage.pg;

import dev.runlane.conformance.CreationWakeupConformanceSuite;
import dev.runlane.conformance.fixture.LaneFixture;
import io.vertx.core.Vertx;

class PgCreationWakeupConformanceTest extends CreationWakeupConformanceSuite {
  @Override
  protected LaneFixture fixture(Vertx vertx) {
    return new PgLaneFixture(vertx);
  }
}
