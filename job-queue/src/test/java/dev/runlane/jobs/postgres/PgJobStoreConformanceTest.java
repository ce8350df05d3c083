package dev.runlane.jobs.postgres;

import dev.runlane.conformance.JobStoreConformanceSuite;
import dev.runlane.conformance.fixture.JobStoreFixture;
import io.vertx.core.Vertx;

class PgJobStoreConformanceTest extends JobStoreConformanceSuite {
  @Override
  protected JobStoreFixture fixture(Vertx vertx) {
    return new PgJobStoreFixture(vertx);
  }
}
