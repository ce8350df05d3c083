package dev.runlane.conformance;

import org.junit.jupiter.api.Nested;

/** A storage that is opened with one of its capabilities missing, for each of them. */
public abstract class CapabilityGuardConformanceSuite
    extends ConformanceSuite<ReducibleStorageFixture> {
  @Nested
  class CapabilityGuard extends CapabilityGuardConformance {}
}
