package dev.runlane.storage.memory;

import dev.runlane.conformance.OperatorStoreConformanceSuite;
import dev.runlane.conformance.fixture.StorageFixture;
import io.vertx.core.Vertx;

class MemoryOperatorStoreConformanceTest extends OperatorStoreConformanceSuite {
  @Override
  protected StorageFixture fixture(Vertx vertx) {
    return new MemoryStorageFixture(storage -> storage);
  }
}
