package dev.runlane.transport.kafka;

import dev.runlane.conformance.TransportConformanceSuite;
import dev.runlane.conformance.fixture.TransportFixture;
import io.vertx.core.Vertx;

class KafkaTransportConformanceTest extends TransportConformanceSuite {
  @Override
  protected TransportFixture fixture(Vertx vertx) {
    return new KafkaTransportFixture(vertx, Brokers::mortal);
  }
}
