package dev.runlane.conformance;

import org.junit.jupiter.api.Nested;

/** The pending steps of a storage whose {@code steps()} is present. */
public abstract class StepStorageConformanceSuite extends ConformanceSuite<StorageFixture> {
  @Nested
  class PendingStep extends PendingStepConformance {}

  @Nested
  class PendingStepClaim extends PendingStepClaimConformance {}
}
