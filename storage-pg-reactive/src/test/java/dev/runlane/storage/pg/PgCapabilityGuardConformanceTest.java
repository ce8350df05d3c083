package dev.runlane.storage.pg;

import dev.runlane.conformance.CapabilityGuardConformanceSuite;
import dev.runlane.conformance.fixture.ReducibleStorageFixture;
import io.vertx.core.Vertx;

class PgCapabilityGuardConformanceTest extends CapabilityGuardConformanceSuite {
  @Override
  protected ReducibleStorageFixture fixture(Vertx vertx) {
    return new PgStorageFixture(vertx);
  }
}
