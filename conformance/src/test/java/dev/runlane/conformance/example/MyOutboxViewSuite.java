package dev.runlane.conformance.example;

import dev.runlane.conformance.OutboxViewConformanceSuite;
import dev.runlane.conformance.fixture.StorageFixture;
import io.vertx.core.Vertx;

class MyOutboxViewSuite extends OutboxViewConformanceSuite {
  @Override
  protected StorageFixture fixture(Vertx vertx) {
    return new MyStorageFixture();
  }
}
