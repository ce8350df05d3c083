package dev.runlane.storage.pg;

import dev.runlane.conformance.ScheduleStorageConformanceSuite;
import dev.runlane.conformance.fixture.StorageFixture;
import io.vertx.core.Vertx;

class PgScheduleStorageConformanceTest extends ScheduleStorageConformanceSuite {
  @Override
  protected StorageFixture fixture(Vertx vertx) {
    return new PgStorageFixture(vertx);
  }
}
