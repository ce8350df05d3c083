package dev.runlane.conformance;

import dev.runlane.conformance.fixture.ReducibleStorageFixture;
import dev.runlane.conformance.kit.ConformanceSuite;
import dev.runlane.conformance.storage.refuse.CapabilityGuardConformance;
import org.junit.jupiter.api.Nested;

/** A storage that is opened with one of its capabilities missing, for each of them. */
public abstract class CapabilityGuardConformanceSuite
    extends ConformanceSuite<ReducibleStorageFixture> {
  @Nested
  class CapabilityGuard extends CapabilityGuardConformance {}
}
