package dev.runlane.jobs.postgres;

import dev.runlane.conformance.JobWebhookConformanceSuite;
import dev.runlane.conformance.fixture.JobStoreFixture;
import io.vertx.core.Vertx;

class PgJobWebhookConformanceTest extends JobWebhookConformanceSuite {
  @Override
  protected JobStoreFixture fixture(Vertx vertx) {
    return new PgJobStoreFixture(vertx);
  }
}
