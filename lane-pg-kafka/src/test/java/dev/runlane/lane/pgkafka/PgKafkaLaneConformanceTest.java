package dev.runlane.lane.pgkafka;

import dev.runlane.conformance.LaneConformanceSuite;
import dev.runlane.conformance.fixture.LaneFixture;
import io.vertx.core.Vertx;

class PgKafkaLaneConformanceTest extends LaneConformanceSuite {
  @Override
  protected LaneFixture fixture(Vertx vertx) {
    return new PgKafkaLaneFixture(vertx);
  }
}
