package dev.runlane.storage.memory;

import dev.runlane.conformance.StepSignalConformanceSuite;
import dev.runlane.conformance.fixture.StepTransportFixture;
import io.vertx.core.Vertx;

class MemoryStepSignalConformanceTest extends StepSignalConformanceSuite {
  @Override
  protected StepTransportFixture fixture(Vertx vertx) {
    return new MemoryStepTransportFixture(transport -> transport);
  }
}
