package dev.runlane.conformance;

import dev.runlane.conformance.fixture.StorageFixture;
import dev.runlane.conformance.kit.ConformanceSuite;
import dev.runlane.conformance.storage.lease.QueueLimitConformance;
import org.junit.jupiter.api.Nested;

/** What a storage whose {@code queueLimits()} is present keeps of the queues of living processes. */
public abstract class QueueLimitConformanceSuite extends ConformanceSuite<StorageFixture> {
  @Nested
  class QueueLimits extends QueueLimitConformance {}
}
