package dev.runlane.drills.steps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.process.Await;
import dev.runlane.lane.Lanes;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.task.RemoteStep;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.telemetry.traces.RunlaneTraces;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The whole trace of a run whose remote step a worker process of the published Node package does. */
@Tag("slow")
@DisplayNameGeneration(ReplaceUnderscores.class)
class NodeTraceTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final RemoteStep<PackageRuntime.Answer> ASKED = RemoteStep.of(
          PackageRuntime.STEP, PackageRuntime.Answer.class)
      .retry(RetryPolicy.attempts(5).fixedDelay(Duration.ofMillis(50)));

  @Test
  void leads_from_its_trigger_over_both_attempts_and_the_step_of_another_process_to_its_outcome() {
    PostgresAddress database = PostgresServers.shared().createDatabase("node_trace");
    StepTables tables = new StepTables(database.toUri(), "traced");
    InMemorySpanExporter exporter = InMemorySpanExporter.create();
    OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
        .setTracerProvider(SdkTracerProvider.builder()
            .addSpanProcessor(SimpleSpanProcessor.create(exporter))
            .build())
        .build();
    Vertx vertx = Vertx.vertx();
    tables.create(vertx);
    PgStorageAdapter storage = PgStorageAdapter.create(
        vertx,
        new PgStorageOptions().setConnectOptions(PgConnectOptions.fromUri(database.toUri())));
    Task<Integer> task = Task.define("orders.read", Integer.class)
        .handler((number, context) -> context
            .remote(
                ASKED,
                new PackageRuntime.Question("a", "a", true)) // whose first answer is a failure
            .map(answer -> TaskResult.done(answer.id())));
    Runlane runlane = Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .stepTransport(tables.transport(vertx))
        .queue(TaskQueue.of("default").asDefault())
        .task(task)
        .observer(RunlaneTraces.create(telemetry))
        .build();
    try (PackageWorkers workers = PackageWorkers.of(tables, SOON)) {
      Await.result(runlane.deploy(vertx, new RunlaneDeployment()));
      RunRecord run = Await.result(runlane.trigger(
              task,
              7,
              new TriggerOptions()
                  .setTraceCarrier(Map.of("traceparent", "00-" + TRACE + "-b7ad6b7169203331-01"))))
          .run();
      workers.start(); // not sooner: the attempt that asks is released meanwhile
      RunRecord ended = Await.result(runlane.awaitRun(run.id(), SOON));
      assertThat(ended.status()).isEqualTo(RunStatus.SUCCEEDED);
      Await.until("the last attempt is told", SOON, () -> trace(exporter).stream()
          .anyMatch(span -> "succeeded".equals(text(span, "runlane.outcome"))));
      Await.result(runlane.close());

      List<SpanData> trace = trace(exporter);
      SpanData created = one(trace, "create orders.read");
      SpanData remote = one(trace, "remote " + PackageRuntime.STEP);
      assertThat(created.getParentSpanId()).isEqualTo("b7ad6b7169203331");
      assertThat(remote.getParentSpanId()).isEqualTo(created.getSpanId());
      assertThat(remote.getAttributes().get(AttributeKey.longKey("runlane.tries")))
          .isEqualTo(2);
      assertThat(text(remote, "runlane.group")).isEqualTo(PackageRuntime.STEP);
      assertThat(remote.getEvents()).extracting(each -> each.getName()).containsExactly("begun");
      assertThat(trace.stream()
              .filter(span -> span.getName().equals("process orders.read"))
              .collect(Collectors.toList()))
          .isNotEmpty()
          .allSatisfy(span -> assertThat(span.getParentSpanId()).isEqualTo(created.getSpanId()));
    } finally {
      Await.result(runlane.close());
      Await.result(vertx.close());
      telemetry.close();
    }
  }

  private static List<SpanData> trace(InMemorySpanExporter exporter) {
    return exporter.getFinishedSpanItems().stream()
        .filter(span -> span.getTraceId().equals(TRACE))
        .toList();
  }

  private static SpanData one(List<SpanData> spans, String name) {
    List<SpanData> found =
        spans.stream().filter(span -> span.getName().equals(name)).toList();
    assertThat(found).as(name).hasSize(1);
    return found.get(0);
  }

  private static String text(SpanData span, String attribute) {
    return span.getAttributes().get(AttributeKey.stringKey(attribute));
  }
}
