package dev.runlane.jobs.postgres;

import dev.runlane.conformance.JobStoreConformanceSuite;
import dev.runlane.conformance.fixture.JobStoreFixture;
import dev.runlane.conformance.race.jobs.JobModelRaceConformance;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

class PgJobStoreConformanceTest extends JobStoreConformanceSuite {
  @Override
  protected JobStoreFixture fixture(Vertx vertx) {
    return new PgJobStoreFixture(vertx);
  }

  /** Each pair of methods. */
  @Nested
  @Tag("full")
  class EveryPair extends JobModelRaceConformance {
    @Override
    protected int races() {
      return EVERY_PAIR;
    }
  }
}
