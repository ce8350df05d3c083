package dev.runlane.conformance;

import dev.runlane.conformance.fixture.StorageFixture;
import dev.runlane.conformance.kit.ConformanceSuite;
import dev.runlane.conformance.storage.run.StorageClockConformance;
import org.junit.jupiter.api.Nested;

/** The clock of a storage whose {@code clock()} is present. */
public abstract class StorageClockConformanceSuite extends ConformanceSuite<StorageFixture> {
  @Nested
  class StorageClock extends StorageClockConformance {}
}
