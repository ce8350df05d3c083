package dev.runlane.conformance;

import dev.runlane.conformance.fixture.TransportFixture;
import dev.runlane.conformance.kit.ConformanceSuite;
import dev.runlane.conformance.transport.PublishConformance;
import dev.runlane.conformance.transport.PublishModelConformance;
import dev.runlane.conformance.transport.TransportFaultConformance;
import dev.runlane.conformance.transport.TransportLifecycleConformance;
import org.junit.jupiter.api.Nested;

/** Every transport. */
public abstract class TransportConformanceSuite extends ConformanceSuite<TransportFixture> {
  @Nested
  class Publish extends PublishConformance {}

  @Nested
  class Faults extends TransportFaultConformance {}

  @Nested
  class Model extends PublishModelConformance {}

  @Nested
  class Lifecycle extends TransportLifecycleConformance {}
}
