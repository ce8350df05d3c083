package dev.runlane.storage.pg;

import dev.runlane.conformance.BatchStorageConformanceSuite;
import dev.runlane.conformance.fixture.StorageFixture;
import io.vertx.core.Vertx;

class PgBatchStorageConformanceTest extends BatchStorageConformanceSuite {
  @Override
  protected StorageFixture fixture(Vertx vertx) {
    return new PgStorageFixture(vertx);
  }
}
