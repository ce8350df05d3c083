package dev.runlane.storage.memory;

import dev.runlane.conformance.CapabilityGuardConformanceSuite;
import dev.runlane.conformance.fixture.ReducibleStorageFixture;
import io.vertx.core.Vertx;

class MemoryCapabilityGuardConformanceTest extends CapabilityGuardConformanceSuite {
  @Override
  protected ReducibleStorageFixture fixture(Vertx vertx) {
    return new MemoryStorageFixture(storage -> storage);
  }
}
