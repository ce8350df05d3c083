package dev.runlane.steps.sql;

import dev.runlane.conformance.StepTransportConformanceSuite;
import dev.runlane.conformance.fixture.StepTransportFixture;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class MysqlStepTransportConformanceTest extends StepTransportConformanceSuite {
  MysqlStepTransportConformanceTest() {
    MysqlStepFixture.requireServer(); // here, so that each case is named when it is left out
  }

  @Override
  protected StepTransportFixture fixture(Vertx vertx) {
    return new MysqlStepFixture(vertx);
  }
}
