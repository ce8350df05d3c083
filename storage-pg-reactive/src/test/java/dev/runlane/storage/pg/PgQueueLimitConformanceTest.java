package dev.runlane.storage.pg;

import dev.runlane.conformance.QueueLimitConformanceSuite;
import dev.runlane.conformance.fixture.StorageFixture;
import io.vertx.core.Vertx;

class PgQueueLimitConformanceTest extends QueueLimitConformanceSuite {
  @Override
  protected StorageFixture fixture(Vertx vertx) {
    return new PgStorageFixture(vertx);
  }
}
