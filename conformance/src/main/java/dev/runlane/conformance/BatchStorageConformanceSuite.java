package dev.runlane.conformance;

import dev.runlane.conformance.fixture.StorageFixture;
import dev.runlane.conformance.kit.ConformanceSuite;
import dev.runlane.conformance.storage.batch.BatchAmountConformance;
import dev.runlane.conformance.storage.batch.BatchAppendConformance;
import dev.runlane.conformance.storage.batch.BatchClaimConformance;
import dev.runlane.conformance.storage.batch.BatchClaimRaceConformance;
import org.junit.jupiter.api.Nested;

/** The batches of a storage whose {@code batch()} is present. */
public abstract class BatchStorageConformanceSuite extends ConformanceSuite<StorageFixture> {
  @Nested
  class BatchAppend extends BatchAppendConformance {}

  @Nested
  class BatchClaim extends BatchClaimConformance {}

  @Nested
  class BatchAmounts extends BatchAmountConformance {}

  @Nested
  class BatchClaimRace extends BatchClaimRaceConformance {}
}
