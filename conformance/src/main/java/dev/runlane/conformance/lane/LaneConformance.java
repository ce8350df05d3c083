package dev.runlane.conformance.lane;

import dev.runlane.conformance.fixture.LaneFixture;
import dev.runlane.conformance.kit.CaseVertx;
import dev.runlane.conformance.kit.ConformanceSuite;
import dev.runlane.conformance.kit.EnclosingSuite;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.RuleNames;
import io.vertx.junit5.VertxExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.extension.ExtendWith;

/** One promise of a lane. */
@ExtendWith({VertxExtension.class, EnclosingSuite.class})
@DisplayNameGeneration(RuleNames.class)
public abstract class LaneConformance {
  LaneFixture fixture;

  /** Takes the fixture; each case opens or composes the lane it needs. */
  @BeforeEach
  final void takeFixture(ConformanceSuite<?> suite, CaseVertx vertx) {
    fixture = suite.fixture(LaneFixture.class, vertx);
  }

  /** Closes all that the case opened. */
  @AfterEach
  final void closeFixture() {
    Outcomes.done(fixture.close());
  }
}
