package dev.runlane.jobs.memory;

import dev.runlane.conformance.JobWebhookConformanceSuite;
import dev.runlane.conformance.fixture.JobStoreFixture;
import io.vertx.core.Vertx;

class MemoryJobWebhookConformanceTest extends JobWebhookConformanceSuite {
  @Override
  protected JobStoreFixture fixture(Vertx vertx) {
    return new MemoryJobStoreFixture(store -> store);
  }
}
