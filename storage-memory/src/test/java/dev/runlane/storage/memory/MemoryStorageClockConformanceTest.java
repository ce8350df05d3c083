package dev.runlane.storage.memory;

import dev.runlane.conformance.StorageClockConformanceSuite;
import dev.runlane.conformance.fixture.StorageFixture;
import io.vertx.core.Vertx;

class MemoryStorageClockConformanceTest extends StorageClockConformanceSuite {
  @Override
  protected StorageFixture fixture(Vertx vertx) {
    return new MemoryStorageFixture(storage -> storage);
  }
}
