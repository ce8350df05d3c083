package dev.runlane.storage.memory;

import dev.runlane.conformance.CancellationSourceConformanceSuite;
import dev.runlane.conformance.fixture.StorageFixture;
import io.vertx.core.Vertx;

class MemoryCancellationSourceConformanceTest extends CancellationSourceConformanceSuite {
  @Override
  protected StorageFixture fixture(Vertx vertx) {
    return new MemoryStorageFixture(storage -> storage);
  }
}
