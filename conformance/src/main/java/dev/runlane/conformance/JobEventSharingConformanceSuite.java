package dev.runlane.conformance;

import org.junit.jupiter.api.Nested;

/** Job stores that share events. */
public abstract class JobEventSharingConformanceSuite extends ConformanceSuite<JobStoreFixture> {
  @Nested
  class EventSharing extends JobEventSharingConformance {}
}
