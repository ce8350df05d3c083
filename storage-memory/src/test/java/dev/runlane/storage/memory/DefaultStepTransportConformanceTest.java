package dev.runlane.storage.memory;

import dev.runlane.conformance.StepTransportConformanceSuite;
import dev.runlane.conformance.fixture.StepTransportFixture;
import io.vertx.core.Vertx;

/** What the contract itself implements keeps the contract. */
class DefaultStepTransportConformanceTest extends StepTransportConformanceSuite {
  @Override
  protected StepTransportFixture fixture(Vertx vertx) {
    return new MemoryStepTransportFixture(ForwardingSteps::new);
  }
}
