package dev.runlane.storage.memory;

import dev.runlane.conformance.QueueLimitConformanceSuite;
import dev.runlane.conformance.fixture.StorageFixture;
import io.vertx.core.Vertx;

class MemoryQueueLimitConformanceTest extends QueueLimitConformanceSuite {
  @Override
  protected StorageFixture fixture(Vertx vertx) {
    return new MemoryStorageFixture(storage -> storage);
  }
}
