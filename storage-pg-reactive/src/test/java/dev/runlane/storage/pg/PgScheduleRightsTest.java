package dev.runlane.storage.pg;

import dev.runlane.conformance.ScheduleStorageConformanceSuite;
import dev.runlane.conformance.fixture.StorageFixture;
import io.vertx.core.Vertx;

/** What is remembered and removed of schedules under the rights of {@link PgRightsTest}. */
class PgScheduleRightsTest extends ScheduleStorageConformanceSuite {
  @Override
  protected StorageFixture fixture(Vertx vertx) {
    return PgRightsTest.Limited.create(vertx);
  }
}
