package dev.runlane.transport.kafka;

import dev.runlane.conformance.TransportConformanceSuite;
import dev.runlane.conformance.fixture.TransportFixture;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class KafkaTransportConformanceTest extends TransportConformanceSuite {
  @Override
  protected TransportFixture fixture(Vertx vertx) {
    return new KafkaTransportFixture(vertx, Brokers::mortal);
  }
}
