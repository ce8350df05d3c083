package dev.runlane.storage.memory;

import dev.runlane.conformance.LaneConformanceSuite;
import dev.runlane.conformance.fixture.LaneFixture;
import dev.runlane.lane.Lanes;
import io.vertx.core.Vertx;

class MemoryLaneConformanceTest extends LaneConformanceSuite {
  @Override
  protected LaneFixture fixture(Vertx vertx) {
    return new MemoryLaneFixture(Lanes::create);
  }
}
