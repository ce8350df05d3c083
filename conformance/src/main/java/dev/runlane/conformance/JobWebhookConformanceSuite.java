package dev.runlane.conformance;

import dev.runlane.conformance.drawn.jobs.JobWebhookModelConformance;
import dev.runlane.conformance.fixture.JobStoreFixture;
import dev.runlane.conformance.jobs.view.JobWebhookConformance;
import dev.runlane.conformance.kit.ConformanceSuite;
import org.junit.jupiter.api.Nested;

/** Job stores that keep ends for webhooks. */
public abstract class JobWebhookConformanceSuite extends ConformanceSuite<JobStoreFixture> {
  @Nested
  class Webhooks extends JobWebhookConformance {}

  @Nested
  class Model extends JobWebhookModelConformance {}
}
