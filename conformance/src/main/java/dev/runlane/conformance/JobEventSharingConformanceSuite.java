package dev.runlane.conformance;

import dev.runlane.conformance.fixture.JobStoreFixture;
import dev.runlane.conformance.jobs.view.JobEventSharingConformance;
import dev.runlane.conformance.kit.ConformanceSuite;
import org.junit.jupiter.api.Nested;

/** Job stores that share events. */
public abstract class JobEventSharingConformanceSuite extends ConformanceSuite<JobStoreFixture> {
  @Nested
  class EventSharing extends JobEventSharingConformance {}
}
