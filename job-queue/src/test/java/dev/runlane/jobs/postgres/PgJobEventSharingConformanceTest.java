package dev.runlane.jobs.postgres;

import dev.runlane.conformance.JobEventSharingConformanceSuite;
import dev.runlane.conformance.fixture.JobStoreFixture;
import io.vertx.core.Vertx;

class PgJobEventSharingConformanceTest extends JobEventSharingConformanceSuite {
  @Override
  protected JobStoreFixture fixture(Vertx vertx) {
    return new PgJobStoreFixture(vertx);
  }
}
