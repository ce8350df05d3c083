package dev.runlane.steps.sql;

import dev.runlane.conformance.StepTransportConformanceSuite;
import dev.runlane.conformance.fixture.StepTransportFixture;
import io.vertx.core.Vertx;

class PgStepTransportConformanceTest extends StepTransportConformanceSuite {
  @Override
  protected StepTransportFixture fixture(Vertx vertx) {
    return new PgStepFixture(vertx);
  }
}
