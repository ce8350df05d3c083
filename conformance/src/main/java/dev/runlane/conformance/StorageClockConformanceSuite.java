package dev.runlane.conformance;

import org.junit.jupiter.api.Nested;

/** The clock of a storage whose {@code clock()} is present. */
public abstract class StorageClockConformanceSuite extends ConformanceSuite<StorageFixture> {
  @Nested
  class StorageClock extends StorageClockConformance {}
}
