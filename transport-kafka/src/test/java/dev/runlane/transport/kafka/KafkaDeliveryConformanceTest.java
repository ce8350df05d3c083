package dev.runlane.transport.kafka;

import dev.runlane.conformance.DeliverySourceConformanceSuite;
import dev.runlane.conformance.fixture.TransportFixture;
import io.vertx.core.Vertx;

class KafkaDeliveryConformanceTest extends DeliverySourceConformanceSuite {
  @Override
  protected TransportFixture fixture(Vertx vertx) {
    return new KafkaTransportFixture(vertx, Brokers::mortal);
  }
}
