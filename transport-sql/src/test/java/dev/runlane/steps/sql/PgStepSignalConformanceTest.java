package dev.runlane.steps.sql;

import dev.runlane.conformance.StepSignalConformanceSuite;
import dev.runlane.conformance.fixture.StepTransportFixture;
import io.vertx.core.Vertx;

class PgStepSignalConformanceTest extends StepSignalConformanceSuite {
  @Override
  protected StepTransportFixture fixture(Vertx vertx) {
    return new PgStepFixture(vertx);
  }
}
