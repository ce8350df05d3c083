package dev.runlane.storage.memory;

import dev.runlane.conformance.OutboxViewConformanceSuite;
import dev.runlane.conformance.fixture.StorageFixture;
import io.vertx.core.Vertx;

class MemoryOutboxViewConformanceTest extends OutboxViewConformanceSuite {
  @Override
  protected StorageFixture fixture(Vertx vertx) {
    return new MemoryStorageFixture(storage -> storage);
  }
}
