package dev.runlane.conformance;

import dev.runlane.conformance.fixture.StorageFixture;
import dev.runlane.conformance.kit.ConformanceSuite;
import dev.runlane.conformance.storage.read.CancellationSourceConformance;
import org.junit.jupiter.api.Nested;

/** The push of cancellation requests by a storage whose {@code cancellations()} is present. */
public abstract class CancellationSourceConformanceSuite extends ConformanceSuite<StorageFixture> {
  @Nested
  class Cancellations extends CancellationSourceConformance {}
}
