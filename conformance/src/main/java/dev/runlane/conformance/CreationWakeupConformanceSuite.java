package dev.runlane.conformance;

import dev.runlane.conformance.fixture.LaneFixture;
import dev.runlane.conformance.kit.ConformanceSuite;
import dev.runlane.conformance.lane.CreationWakeupConformance;
import org.junit.jupiter.api.Nested;

/** Lanes whose storage sends the wakeups of the runs that it creates over the lane's transport. */
public abstract class CreationWakeupConformanceSuite extends ConformanceSuite<LaneFixture> {
  @Nested
  class CreationWakeups extends CreationWakeupConformance {}
}
