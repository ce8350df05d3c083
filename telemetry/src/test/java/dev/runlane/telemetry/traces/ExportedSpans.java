package dev.runlane.telemetry.traces;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.tracing.opentelemetry.OpenTelemetryTracingFactory;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** A Vert.x that traces, and the spans that an exporter gets of what happens in it. */
final class ExportedSpans {
  private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
  private final OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
      .setTracerProvider(SdkTracerProvider.builder()
          .addSpanProcessor(SimpleSpanProcessor.create(exporter))
          .build())
      .build();
  private final Vertx vertx =
      Vertx.builder().withTracer(new OpenTelemetryTracingFactory(telemetry)).build();

  OpenTelemetrySdk telemetry() {
    return telemetry;
  }

  Vertx vertx() {
    return vertx;
  }

  void close() {
    await(vertx.close());
    telemetry.close();
  }

  /** Calls under a span that is named {@code caller}. */
  <T> T underASpan(Supplier<Future<T>> call) {
    Promise<T> done = Promise.promise();
    vertx.runOnContext(turn -> {
      Span caller = telemetry.getTracer("test").spanBuilder("caller").startSpan();
      Scope scope = caller.makeCurrent();
      try {
        call.get().onComplete(done);
      } finally {
        scope.close();
      }
      caller.end();
    });
    return await(done.future());
  }

  /** What Runlane told of so far. */
  List<SpanData> ofRunlane() {
    return of("dev.runlane");
  }

  private List<SpanData> of(String scope) {
    return exporter.getFinishedSpanItems().stream()
        .filter(span -> span.getInstrumentationScopeInfo().getName().equals(scope))
        .toList();
  }

  /** The caller's only span. */
  SpanData caller() {
    List<SpanData> callers = of("test");
    assertThat(callers).hasSize(1);
    return callers.get(0);
  }

  /**
   * The spans of this name, the first that began before the others, once there are so many: they are exported just
   * after those who wait have heard.
   */
  List<SpanData> named(String name, int count) {
    Promise<Void> done = Promise.promise();
    long timer = vertx.setPeriodic(10, tick -> {
      if (named(name).size() >= count) {
        done.tryComplete();
      }
    });
    await(done.future());
    vertx.cancelTimer(timer);
    assertThat(named(name)).as(name).hasSize(count);
    return named(name);
  }

  private List<SpanData> named(String name) {
    return ofRunlane().stream()
        .filter(span -> span.getName().equals(name))
        .sorted(Comparator.comparingLong(SpanData::getStartEpochNanos))
        .toList();
  }

  /** The only span of this name. */
  SpanData one(String name) {
    return named(name, 1).get(0);
  }

  static void assertChild(SpanData child, SpanData parent) {
    assertThat(child.getTraceId()).as(child.getName()).isEqualTo(parent.getTraceId());
    assertThat(child.getParentSpanId()).as(child.getName()).isEqualTo(parent.getSpanId());
  }

  static <T> T await(Future<T> future) {
    try {
      return future.await(60, SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    }
  }
}
