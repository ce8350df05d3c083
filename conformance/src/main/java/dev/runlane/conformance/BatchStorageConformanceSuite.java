package dev.runlane.conformance;

import org.junit.jupiter.api.Nested;

/** The batches of a storage whose {@code batch()} is present. */
public abstract class BatchStorageConformanceSuite extends ConformanceSuite<StorageFixture> {
  @Nested
  class BatchAppend extends BatchAppendConformance {}

  @Nested
  class BatchClaim extends BatchClaimConformance {}

  @Nested
  class BatchClaimRace extends BatchClaimRaceConformance {}
}
