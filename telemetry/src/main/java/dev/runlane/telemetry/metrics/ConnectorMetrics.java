package dev.runlane.telemetry.metrics;

import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.run.request.RunObserver;
import dev.runlane.connector.run.request.RunObservers;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.json.VertxJson;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What the connectors of a process do, as meters: given to a {@code ConnectorController}. Runs that another process
 * ends, because this one was killed, are in none of them. For any thread.
 */
public final class ConnectorMetrics implements RunObservers {
  private final Meters meters;
  private final BoundedLabel connectors;
  private final BoundedLabel errors;

  private ConnectorMetrics(MeterRegistry registry, RunlaneMetricsOptions options) {
    meters = new Meters(registry, options.isHistograms());
    connectors = new BoundedLabel(options.getMostLabelValues());
    errors = new BoundedLabel(options.getMostLabelValues());
  }

  /** Meters in {@code registry}. */
  public static ConnectorMetrics create(MeterRegistry registry) {
    return create(registry, new RunlaneMetricsOptions());
  }

  /** The same with other bounds: the most label values are those of connectors and of reasons. */
  public static ConnectorMetrics create(MeterRegistry registry, RunlaneMetricsOptions options) {
    return new ConnectorMetrics(registry, new RunlaneMetricsOptions(options));
  }

  @Override
  public RunObserver of(RunIdentity run) {
    return new OfRun(
        Tags.of(MetricNames.CONNECTOR, connectors.of(run.connector().connectorId())));
  }

  /** One run, on its context. */
  private final class OfRun implements RunObserver {
    private final Tags tags;
    private @Nullable Instant startedAt;

    OfRun(Tags tags) {
      this.tags = tags;
      records("accepted", 0); // from zero on, so that the first one counts as more
      records("rejected", 0);
    }

    @Override
    public void event(TimelineEvent event) {
      if (event.type() == TimelineEventType.STARTED) {
        startedAt = event.occurredAt();
        meters
            .counter(MetricNames.CONNECTOR_STARTED, "Connectors that were launched", tags)
            .increment();
      } else if (event.type() == TimelineEventType.BATCH_INGESTED) {
        JsonObject data = VertxJson.object(event.data());
        records("accepted", data.getLong("records_accepted", 0L));
        records("rejected", data.getLong("records_rejected", 0L));
      } else if (event.type().isTerminal()) {
        ended(event);
      }
    }

    @Override
    public void violation(Violation violation) {
      meters
          .counter(MetricNames.CONNECTOR_VIOLATIONS, "Lines that broke the protocol", tags)
          .increment();
    }

    private void records(String outcome, long count) {
      meters
          .counter(
              MetricNames.CONNECTOR_RECORDS,
              "Records by what the sink made of them",
              tags.and(MetricNames.OUTCOME, outcome))
          .increment((double) count);
    }

    private void ended(TimelineEvent event) {
      String outcome = event.type().value().substring("run.".length());
      String reason = VertxJson.object(event.data()).getString("reason", "none");
      meters
          .counter(
              MetricNames.CONNECTOR_ENDED,
              "Connector runs by how they ended",
              tags.and(MetricNames.OUTCOME, outcome, MetricNames.ERROR, errors.of(reason)))
          .increment();
      if (startedAt != null) {
        Duration took = Duration.between(startedAt, event.occurredAt());
        meters
            .timer(
                MetricNames.CONNECTOR_DURATION,
                "From the start of a connector to its end",
                tags.and(MetricNames.OUTCOME, outcome))
            .record(took.isNegative() ? Duration.ZERO : took);
      }
    }
  }
}
