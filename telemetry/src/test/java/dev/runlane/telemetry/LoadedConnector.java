package dev.runlane.telemetry;

import dev.runlane.connector.run.request.RunObserver;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.run.Json;
import dev.runlane.telemetry.metrics.ConnectorMetrics;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Instant;

/**
 * What a controller tells of a run with records, of which the sink refused some, of one that failed and of one that has
 * just begun.
 */
final class LoadedConnector {
  private LoadedConnector() {}

  static void load(MeterRegistry registry) {
    ConnectorMetrics metrics = ConnectorMetrics.create(registry);
    RunObserver good = metrics.of(run("run_1", "shelf"));
    tell(good, TimelineEventType.STARTED, "{}");
    tell(
        good,
        TimelineEventType.BATCH_INGESTED,
        "{\"records_attempted\":10,\"records_accepted\":8,\"records_rejected\":2}");
    tell(good, TimelineEventType.COMPLETED, "{}");
    RunObserver bad = metrics.of(run("run_2", "shelf"));
    tell(bad, TimelineEventType.STARTED, "{}");
    tell(bad, TimelineEventType.FAILED, "{\"reason\":\"protocol_violation\"}");
    tell(metrics.of(run("run_3", "idle")), TimelineEventType.STARTED, "{}");
  }

  private static void tell(RunObserver observer, TimelineEventType type, String data) {
    observer.event(TimelineEvent.of(
        new Ids(Clock.system(), Randomness.system()),
        type,
        "x",
        Instant.now(),
        Json.ofChecked(data)));
  }

  private static RunIdentity run(String id, String connector) {
    return new RunIdentity(id, "trc_1", ConnectorRef.of(connector));
  }
}
