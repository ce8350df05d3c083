package dev.runlane.conformance;

import org.junit.jupiter.api.Nested;

/** What a storage whose {@code queueLimits()} is present keeps of the queues of living processes. */
public abstract class QueueLimitConformanceSuite extends ConformanceSuite<StorageFixture> {
  @Nested
  class QueueLimits extends QueueLimitConformance {}
}
