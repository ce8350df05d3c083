package dev.runlane.telemetry.traces;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.tracing.opentelemetry.OpenTelemetryTracingFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Whole traces, as an exporter gets them, of runs on a real Postgres in a Vert.x that traces too. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class RunlaneTracesTest {
  private static final PostgresAddress DATABASE = PostgresServers.shared().createDatabase("traces");
  private static final AtomicInteger SCHEMAS = new AtomicInteger();
  private static final Duration SOON = Duration.ofSeconds(30);

  private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
  private final OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
      .setTracerProvider(SdkTracerProvider.builder()
          .addSpanProcessor(SimpleSpanProcessor.create(exporter))
          .build())
      .build();
  private final Vertx vertx =
      Vertx.builder().withTracer(new OpenTelemetryTracingFactory(telemetry)).build();
  private final AtomicReference<String> seen = new AtomicReference<>();
  private Runlane runlane;

  private final Task<String> quick = Task.define("quick", String.class)
      .handler((payload, context) -> {
        seen.set(Span.current().getSpanContext().getSpanId());
        return Future.succeededFuture(TaskResult.done());
      });
  private final Task<String> stepped = Task.define("stepped", String.class)
      .retry(RetryPolicy.attempts(2).fixedDelay(Duration.ofMillis(10)))
      .handler((payload, context) -> context
          .step("charge", String.class, () -> Future.succeededFuture("receipt"))
          .compose(receipt -> context.attempt() == 1
              ? Future.failedFuture(
                  RunlaneException.of(ErrorCode.TASK_FAILED, "closed, secret 7").asRetryable())
              : Future.succeededFuture(TaskResult.done())));
  private final Task<String> parent = Task.define("parent", String.class)
      .handler((payload, context) -> context.trigger(quick, "child").map(TaskResult::done));
  private final Task<String> blocking = Task.define("blocking", String.class)
      .blockingHandler((payload, context) -> {
        seen.set(Span.current().getSpanContext().getSpanId());
        return TaskResult.done();
      });
  private final Task<String> failing = Task.define("failing", String.class)
      .handler((payload, context) -> Future.failedFuture(new IllegalStateException("secret 8")));

  @AfterEach
  void close() {
    await(runlane.close());
    await(vertx.close());
    telemetry.close();
  }

  private void start() {
    PgStorageAdapter storage = PgStorageAdapter.create(
        vertx,
        new PgStorageOptions()
            .setSchema("traces_" + SCHEMAS.incrementAndGet())
            .setConnectOptions(PgConnectOptions.fromUri(DATABASE.toUri())));
    runlane = Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .queue(TaskQueue.of("default").asDefault())
        .tasks(List.of(quick, stepped, parent, blocking, failing))
        .observer(RunlaneTraces.create(telemetry))
        .build();
    await(runlane.deploy(vertx, new RunlaneDeployment()));
  }

  /** Triggers under a span of the caller's; its id is that of the trace. */
  private String triggered(Supplier<Future<TriggerResult>> trigger) {
    Promise<TriggerResult> done = Promise.promise();
    Promise<String> trace = Promise.promise();
    vertx.runOnContext(turn -> {
      Span caller = telemetry.getTracer("test").spanBuilder("caller").startSpan();
      Scope scope = caller.makeCurrent();
      try {
        trigger.get().onComplete(done);
      } finally {
        scope.close();
      }
      caller.end();
      trace.complete(caller.getSpanContext().getTraceId());
    });
    await(runlane.awaitRun(await(done.future()).run().id(), SOON));
    return await(trace.future());
  }

  /** What Runlane and the caller told of a trace. */
  private List<SpanData> trace(String traceId) {
    return exporter.getFinishedSpanItems().stream()
        .filter(span -> span.getTraceId().equals(traceId))
        .filter(span -> List.of("dev.runlane", "test")
            .contains(span.getInstrumentationScopeInfo().getName()))
        .toList();
  }

  private static SpanData one(List<SpanData> spans, String name) {
    List<SpanData> found =
        spans.stream().filter(span -> span.getName().equals(name)).toList();
    assertThat(found).as(name).hasSize(1);
    return found.get(0);
  }

  private static void assertChild(SpanData child, SpanData parent) {
    assertThat(child.getParentSpanId()).as(child.getName()).isEqualTo(parent.getSpanId());
  }

  @Test
  void a_run_is_one_trace_from_its_callers_span_to_its_steps_and_its_outcome() {
    start();

    String traceId = triggered(() -> runlane.trigger(stepped, "x"));
    until(2);
    List<SpanData> trace = trace(traceId);

    SpanData created = one(trace, "create stepped");
    assertChild(created, one(trace, "caller"));
    assertThat(created.getKind()).isEqualTo(SpanKind.PRODUCER);
    List<SpanData> attempts =
        trace.stream().filter(span -> span.getName().equals("process stepped")).toList();
    assertThat(attempts).hasSize(2).allSatisfy(attempt -> assertChild(attempt, created));
    SpanData first = attempts.get(0);
    SpanData second = attempts.get(1);
    assertThat(first.getAttributes().get(SpanNames.OUTCOME)).isEqualTo("retried");
    assertThat(first.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(first.getAttributes().get(SpanNames.ERROR)).isEqualTo("task_failed");
    assertChild(one(trace, "step charge"), first);
    assertThat(second.getAttributes().get(SpanNames.ATTEMPT)).isEqualTo(2);
    assertThat(second.getAttributes().get(SpanNames.OUTCOME)).isEqualTo("succeeded");
    assertThat(second.getLinks())
        .extracting(link -> link.getSpanContext().getSpanId())
        .containsExactly(first.getSpanId());
  }

  @Test
  void the_publishing_of_a_wakeup_is_part_of_its_runs_trace() {
    start();
    TriggerOptions later = new TriggerOptions().setDelay(Duration.ofMillis(10));

    String traceId = triggered(() -> runlane.trigger(quick, "x", later));
    until("publish default", 1); // a worker that knows of the run need not wait for it

    assertChild(one(trace(traceId), "publish default"), one(trace(traceId), "create quick"));
  }

  @Test
  void what_a_handler_does_and_triggers_is_part_of_its_attempt() {
    start();

    String traceId = triggered(() -> runlane.trigger(parent, "x"));
    until(2);

    SpanData attempt = one(trace(traceId), "process parent");
    assertChild(one(trace(traceId), "create quick"), attempt);
    assertThat(seen.get()).isEqualTo(one(trace(traceId), "process quick").getSpanId());
  }

  @Test
  void a_blocking_handler_has_the_span_of_its_attempt_on_its_own_thread() {
    start();

    String traceId = triggered(() -> runlane.trigger(blocking, "x"));
    until(1);

    assertThat(seen.get()).isEqualTo(one(trace(traceId), "process blocking").getSpanId());
  }

  @Test
  void runs_that_are_run_at_once_or_run_again_are_of_the_trace_as_well() {
    start();

    String traceId = triggered(() -> runlane.runNow(failing, "x"));
    String failed = one(trace(traceId), "create failing").getAttributes().get(SpanNames.RUN);
    TriggerResult again = await(runlane.runs().retry(failed, new RunActionOptions()));
    await(runlane.awaitRun(again.run().id(), SOON));
    until(2);

    assertThat(trace(traceId))
        .filteredOn(span -> span.getName().equals("create failing"))
        .hasSize(2);
    assertThat(trace(traceId))
        .filteredOn(span -> span.getName().equals("process failing"))
        .hasSize(2)
        .allSatisfy(
            span -> assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR));
  }

  @Test
  void a_trace_that_the_caller_carries_itself_goes_on_where_no_span_is_current() {
    start();
    String traceId = "0af7651916cd43dd8448eb211c80319c";

    RunRecord run = await(runlane.trigger(
            quick,
            "x",
            new TriggerOptions()
                .setTraceCarrier(Map.of(
                    "traceparent", "00-" + traceId + "-b7ad6b7169203331-01", "tenant", "acme"))))
        .run();
    await(runlane.awaitRun(run.id(), SOON));
    until(1);

    assertThat(run.traceCarrier()).containsEntry("tenant", "acme");
    assertThat(run.traceCarrier().get("traceparent"))
        .isEqualTo("00-" + traceId + "-" + one(trace(traceId), "create quick").getSpanId() + "-01");
    assertThat(one(trace(traceId), "create quick").getParentSpanId()).isEqualTo("b7ad6b7169203331");
    assertThat(one(trace(traceId), "process quick").getTraceId()).isEqualTo(traceId);
  }

  @Test
  void no_span_holds_a_payload_or_the_message_of_a_failure() {
    start();

    triggered(() -> runlane.trigger(stepped, "secret 6"));
    until(2);

    assertThat(exporter.getFinishedSpanItems().stream()
            .filter(span -> span.getInstrumentationScopeInfo().getName().equals("dev.runlane"))
            .map(Object::toString))
        .isNotEmpty()
        .noneMatch(span -> span.contains("secret"));
  }

  /** A span is exported just after those that wait for its run have heard. */
  private void until(int attempts) {
    until("process ", attempts);
  }

  private void until(String names, int spans) {
    Promise<Void> done = Promise.promise();
    long timer = vertx.setPeriodic(10, tick -> {
      long ended = exporter.getFinishedSpanItems().stream()
          .filter(span -> span.getName().startsWith(names))
          .count();
      if (ended >= spans) {
        done.tryComplete();
      }
    });
    await(done.future());
    vertx.cancelTimer(timer);
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(60, SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    }
  }
}
