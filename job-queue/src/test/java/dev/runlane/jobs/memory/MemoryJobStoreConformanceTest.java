package dev.runlane.jobs.memory;

import dev.runlane.conformance.JobStoreConformanceSuite;
import dev.runlane.conformance.fixture.JobStoreFixture;
import dev.runlane.conformance.race.jobs.JobModelRaceConformance;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.Nested;

class MemoryJobStoreConformanceTest extends JobStoreConformanceSuite {
  @Override
  protected JobStoreFixture fixture(Vertx vertx) {
    return new MemoryJobStoreFixture(store -> store);
  }

  @Nested
  class ModelRaces extends JobModelRaceConformance {}
}
