package dev.runlane.telemetry.traces;

import static dev.runlane.telemetry.traces.ExportedSpans.assertChild;
import static dev.runlane.telemetry.traces.ExportedSpans.await;
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
import io.opentelemetry.sdk.trace.data.SpanData;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnectOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
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
  private static final Duration SOON = Duration.ofSeconds(60);

  private final ExportedSpans spans = new ExportedSpans();
  private final AtomicReference<String> seen = new AtomicReference<>();
  private final CyclicBarrier both = new CyclicBarrier(2);
  private final List<String> met = new CopyOnWriteArrayList<>();
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
  private final Task<String> meeting = Task.define("meeting", String.class)
      .blockingHandler((payload, context) -> {
        both.await(30, SECONDS); // each has been given its thread
        met.add(Span.current().getSpanContext().getSpanId());
        return TaskResult.done();
      });
  private final Task<String> failing = Task.define("failing", String.class)
      .handler((payload, context) -> Future.failedFuture(new IllegalStateException("secret 8")));

  @AfterEach
  void close() {
    await(runlane.close());
    spans.close();
  }

  private void start() {
    start("traces");
  }

  private void start(String schema) {
    PgStorageAdapter storage = PgStorageAdapter.create(
        spans.vertx(),
        new PgStorageOptions()
            .setSchema(schema)
            .setConnectOptions(PgConnectOptions.fromUri(DATABASE.toUri())));
    runlane = Runlane.builder(spans.vertx(), Lanes.create(storage, storage.notifyTransport()))
        .queue(TaskQueue.of("default").asDefault())
        .tasks(List.of(quick, stepped, parent, blocking, meeting, failing))
        .observer(RunlaneTraces.create(spans.telemetry()))
        .build();
    await(runlane.deploy(spans.vertx(), new RunlaneDeployment()));
  }

  /** Triggers under a span of the caller's, and waits for the run's end. */
  private void triggered(Supplier<Future<TriggerResult>> trigger) {
    await(runlane.awaitRun(spans.underASpan(trigger).run().id(), SOON));
  }

  private void assertInTheCallersTrace(List<SpanData> told) {
    assertThat(told).allSatisfy(span -> assertThat(span.getTraceId())
        .isEqualTo(spans.caller().getTraceId()));
  }

  @Test
  void a_run_is_one_trace_from_its_callers_span_to_its_steps_and_its_outcome() {
    start();

    triggered(() -> runlane.trigger(stepped, "x"));

    SpanData created = spans.one("create stepped");
    assertChild(created, spans.caller());
    assertThat(created.getKind()).isEqualTo(SpanKind.PRODUCER);
    List<SpanData> attempts = spans.named("process stepped", 2);
    assertThat(attempts).allSatisfy(attempt -> assertChild(attempt, created));
    SpanData first = attempts.get(0);
    SpanData second = attempts.get(1);
    assertThat(first.getAttributes().get(SpanNames.OUTCOME)).isEqualTo("retried");
    assertThat(first.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(first.getAttributes().get(SpanNames.ERROR)).isEqualTo("task_failed");
    assertChild(spans.one("step charge"), first);
    assertThat(second.getAttributes().get(SpanNames.ATTEMPT)).isEqualTo(2);
    assertThat(second.getAttributes().get(SpanNames.OUTCOME)).isEqualTo("succeeded");
    assertThat(second.getLinks())
        .extracting(link -> link.getSpanContext().getSpanId())
        .containsExactly(first.getSpanId());
  }

  @Test
  void the_publishing_of_a_wakeup_is_part_of_its_runs_trace() {
    start("publishing"); // where no wakeup of another test is left
    TriggerOptions later = new TriggerOptions().setDelay(Duration.ofMillis(10));

    triggered(() -> runlane.trigger(quick, "x", later));

    assertChild(spans.one("publish default"), spans.one("create quick"));
  }

  @Test
  void what_a_handler_does_and_triggers_is_part_of_its_attempt() {
    start();

    triggered(() -> runlane.trigger(parent, "x"));

    assertChild(spans.one("create quick"), spans.one("process parent"));
    SpanData child = spans.one("process quick");
    assertThat(child.getTraceId()).isEqualTo(spans.caller().getTraceId());
    assertThat(seen.get()).isEqualTo(child.getSpanId());
  }

  @Test
  void a_blocking_handler_has_the_span_of_its_attempt_on_its_own_thread() {
    start();

    triggered(() -> runlane.trigger(blocking, "x"));

    assertThat(seen.get()).isEqualTo(spans.one("process blocking").getSpanId());
  }

  @Test
  void blocking_handlers_that_run_at_once_have_each_its_own_span() {
    start();

    TriggerResult one = await(runlane.trigger(meeting, "one"));
    TriggerResult other = await(runlane.trigger(meeting, "other"));
    await(runlane.awaitRun(one.run().id(), SOON));
    await(runlane.awaitRun(other.run().id(), SOON));

    assertThat(spans.named("process meeting", 2))
        .extracting(span -> span.getSpanContext().getSpanId())
        .containsExactlyInAnyOrderElementsOf(met);
  }

  @Test
  void runs_that_are_run_at_once_or_run_again_are_of_the_trace_as_well() {
    start();

    triggered(() -> runlane.runNow(failing, "x"));
    String failed = spans.one("create failing").getAttributes().get(SpanNames.ID);
    TriggerResult again = await(runlane.runs().retry(failed, new RunActionOptions()));
    await(runlane.awaitRun(again.run().id(), SOON));

    assertInTheCallersTrace(spans.named("create failing", 2));
    List<SpanData> attempts = spans.named("process failing", 2);
    assertInTheCallersTrace(attempts);
    assertThat(attempts).allSatisfy(span -> assertThat(span.getStatus().getStatusCode())
        .isEqualTo(StatusCode.ERROR));
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

    SpanData created = spans.one("create quick");
    assertThat(run.traceCarrier()).containsEntry("tenant", "acme");
    assertThat(run.traceCarrier().get("traceparent"))
        .isEqualTo("00-" + traceId + "-" + created.getSpanId() + "-01");
    assertThat(created.getTraceId()).isEqualTo(traceId);
    assertThat(created.getParentSpanId()).isEqualTo("b7ad6b7169203331");
    assertChild(spans.one("process quick"), created);
  }

  @Test
  void no_span_holds_a_payload_or_the_message_of_a_failure() {
    start();

    triggered(() -> runlane.trigger(stepped, "secret 6"));
    spans.named("process stepped", 2);

    assertThat(spans.ofRunlane())
        .isNotEmpty()
        .extracting(Object::toString)
        .noneMatch(span -> span.contains("secret"));
  }
}
