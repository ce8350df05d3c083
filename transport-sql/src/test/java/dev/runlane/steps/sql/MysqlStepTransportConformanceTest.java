package dev.runlane.steps.sql;

import dev.runlane.conformance.StepTransportConformanceSuite;
import dev.runlane.conformance.StepTransportFixture;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.BeforeAll;

class MysqlStepTransportConformanceTest extends StepTransportConformanceSuite {
  @BeforeAll
  static void requireServer() {
    MysqlStepFixture.requireServer();
  }

  @Override
  protected StepTransportFixture fixture(Vertx vertx) {
    return new MysqlStepFixture(vertx);
  }
}
