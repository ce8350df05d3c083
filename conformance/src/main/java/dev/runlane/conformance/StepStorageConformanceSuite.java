package dev.runlane.conformance;

import dev.runlane.conformance.fixture.StorageFixture;
import dev.runlane.conformance.kit.ConformanceSuite;
import dev.runlane.conformance.storage.step.PendingStepClaimConformance;
import dev.runlane.conformance.storage.step.PendingStepConformance;
import org.junit.jupiter.api.Nested;

/** The pending steps of a storage whose {@code steps()} is present. */
public abstract class StepStorageConformanceSuite extends ConformanceSuite<StorageFixture> {
  @Nested
  class PendingStep extends PendingStepConformance {}

  @Nested
  class PendingStepClaim extends PendingStepClaimConformance {}
}
