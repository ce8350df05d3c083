package dev.runlane.storage.pg;

import dev.runlane.conformance.StorageConformanceSuite;
import dev.runlane.conformance.fixture.StorageFixture;
import io.vertx.core.Vertx;

class PgStorageConformanceTest extends StorageConformanceSuite {
  @Override
  protected StorageFixture fixture(Vertx vertx) {
    return new PgStorageFixture(vertx);
  }
}
