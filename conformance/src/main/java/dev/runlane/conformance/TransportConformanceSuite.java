package dev.runlane.conformance;

import org.junit.jupiter.api.Nested;

/** Every transport. */
public abstract class TransportConformanceSuite extends ConformanceSuite<TransportFixture> {
  @Nested
  class Publish extends PublishConformance {}

  @Nested
  class Faults extends TransportFaultConformance {}

  @Nested
  class Lifecycle extends TransportLifecycleConformance {}
}
