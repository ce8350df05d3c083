package dev.runlane.conformance;

import dev.runlane.conformance.fixture.StorageFixture;
import dev.runlane.conformance.kit.ConformanceSuite;
import dev.runlane.conformance.storage.outbox.OutboxViewConformance;
import org.junit.jupiter.api.Nested;

/** The view of wakeups of a storage whose {@code outbox()} is present. */
public abstract class OutboxViewConformanceSuite extends ConformanceSuite<StorageFixture> {
  @Nested
  class OutboxView extends OutboxViewConformance {}
}
