package dev.runlane.conformance;

import org.junit.jupiter.api.Nested;

/** The view of wakeups of a storage whose {@code outbox()} is present. */
public abstract class OutboxViewConformanceSuite extends ConformanceSuite<StorageFixture> {
  @Nested
  class OutboxView extends OutboxViewConformance {}
}
