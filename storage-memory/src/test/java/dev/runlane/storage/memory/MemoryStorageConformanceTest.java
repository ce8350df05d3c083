package dev.runlane.storage.memory;

import dev.runlane.conformance.StorageConformanceSuite;
import dev.runlane.conformance.fixture.StorageFixture;
import io.vertx.core.Vertx;

class MemoryStorageConformanceTest extends StorageConformanceSuite {
  @Override
  protected StorageFixture fixture(Vertx vertx) {
    return new MemoryStorageFixture(storage -> storage);
  }
}
