package dev.runlane.storage.pg;

import dev.runlane.conformance.OutboxViewConformanceSuite;
import dev.runlane.conformance.fixture.StorageFixture;
import io.vertx.core.Vertx;

class PgOutboxViewConformanceTest extends OutboxViewConformanceSuite {
  @Override
  protected StorageFixture fixture(Vertx vertx) {
    return new PgStorageFixture(vertx);
  }
}
