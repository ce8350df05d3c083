package dev.runlane.jobs.memory;

import dev.runlane.conformance.JobStoreConformanceSuite;
import dev.runlane.conformance.fixture.JobStoreFixture;
import io.vertx.core.Vertx;

class MemoryJobStoreConformanceTest extends JobStoreConformanceSuite {
  @Override
  protected JobStoreFixture fixture(Vertx vertx) {
    return new MemoryJobStoreFixture(store -> store);
  }
}
