package dev.runlane.storage.pg;

import dev.runlane.conformance.StorageClockConformanceSuite;
import dev.runlane.conformance.fixture.StorageFixture;
import io.vertx.core.Vertx;

class PgStorageClockConformanceTest extends StorageClockConformanceSuite {
  @Override
  protected StorageFixture fixture(Vertx vertx) {
    return new PgStorageFixture(vertx);
  }
}
