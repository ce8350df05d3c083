package dev.runlane.storage.memory;

import dev.runlane.conformance.StepTransportConformanceSuite;
import dev.runlane.conformance.fixture.StepTransportFixture;
import io.vertx.core.Vertx;

class MemoryStepTransportConformanceTest extends StepTransportConformanceSuite {
  @Override
  protected StepTransportFixture fixture(Vertx vertx) {
    return new MemoryStepTransportFixture(transport -> transport);
  }
}
