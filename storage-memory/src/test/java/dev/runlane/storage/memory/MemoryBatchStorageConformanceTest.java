package dev.runlane.storage.memory;

import dev.runlane.conformance.BatchStorageConformanceSuite;
import dev.runlane.conformance.fixture.StorageFixture;
import io.vertx.core.Vertx;

class MemoryBatchStorageConformanceTest extends BatchStorageConformanceSuite {
  @Override
  protected StorageFixture fixture(Vertx vertx) {
    return new MemoryStorageFixture(storage -> storage);
  }
}
