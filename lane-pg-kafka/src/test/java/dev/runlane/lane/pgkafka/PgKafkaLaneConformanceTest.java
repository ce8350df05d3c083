package dev.runlane.lane.pgkafka;

import dev.runlane.conformance.LaneConformanceSuite;
import dev.runlane.conformance.fixture.LaneFixture;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class PgKafkaLaneConformanceTest extends LaneConformanceSuite {
  @Override
  protected LaneFixture fixture(Vertx vertx) {
    return new PgKafkaLaneFixture(vertx);
  }
}
