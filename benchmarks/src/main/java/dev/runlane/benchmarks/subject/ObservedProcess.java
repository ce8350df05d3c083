package dev.runlane.benchmarks.subject;

import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneBuilder;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.telemetry.metrics.RunlaneDepths;
import dev.runlane.telemetry.metrics.RunlaneMetrics;
import dev.runlane.telemetry.traces.RunlaneTraces;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.vertx.core.Vertx;
import java.util.Collection;

/** {@link RunlaneProcess} with all that can be told of it: metrics, traces of every run, throughput and depths. */
public final class ObservedProcess {
  private ObservedProcess() {}

  /** Reads its settings from standard input. */
  public static void main(String[] args) {
    RunlaneProcess.main(Everything::new);
  }

  private static final class Everything implements Assembly {
    private final PrometheusMeterRegistry registry =
        new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final RunlaneMetrics metrics = RunlaneMetrics.create(registry);

    @Override
    public PgStorageAdapter storage(Vertx vertx, PgStorageOptions options) {
      return PgStorageAdapter.create(vertx, options, metrics);
    }

    @Override
    public RunlaneBuilder observe(RunlaneBuilder builder) {
      return builder.observer(metrics).observer(RunlaneTraces.create(new Traces()));
    }

    @Override
    public void started(Vertx vertx, Runlane runlane) {
      RunlaneDepths.create(vertx, runlane, registry);
      vertx.setPeriodic(1_000, tick -> registry.scrape());
    }
  }

  /** Every span is made and gathered, and dropped where it would be sent. */
  private static final class Traces implements OpenTelemetry {
    private final TracerProvider provider = SdkTracerProvider.builder()
        .addSpanProcessor(BatchSpanProcessor.builder(new Dropped()).build())
        .build();

    @Override
    public TracerProvider getTracerProvider() {
      return provider;
    }

    @Override
    public ContextPropagators getPropagators() {
      return ContextPropagators.noop();
    }
  }

  private static final class Dropped implements SpanExporter {
    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }
}
