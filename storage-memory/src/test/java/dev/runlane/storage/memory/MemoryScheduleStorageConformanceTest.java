package dev.runlane.storage.memory;

import dev.runlane.conformance.ScheduleStorageConformanceSuite;
import dev.runlane.conformance.fixture.StorageFixture;
import io.vertx.core.Vertx;

class MemoryScheduleStorageConformanceTest extends ScheduleStorageConformanceSuite {
  @Override
  protected StorageFixture fixture(Vertx vertx) {
    return new MemoryStorageFixture(storage -> storage);
  }
}
