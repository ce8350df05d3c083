package dev.runlane.telemetry.traces;

import static dev.runlane.telemetry.traces.ExportedSpans.assertChild;
import static dev.runlane.telemetry.traces.ExportedSpans.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.postgres.PgJobStore;
import dev.runlane.jobs.postgres.PgJobStoreOptions;
import dev.runlane.jobs.queue.FlowJob;
import dev.runlane.jobs.queue.JobEntry;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.options.JobWorkerOptions;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnectOptions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Whole traces of jobs, as an exporter gets them, on a real Postgres in a Vert.x that traces too. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class JobTracesTest {
  private static final PostgresAddress DATABASE =
      PostgresServers.shared().createDatabase("job_traces");
  private static final AtomicInteger SCHEMAS = new AtomicInteger();
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final JobOptions TRACED = JobOptions.builder()
      .traceCarrier(Map.of("traceparent", "00-" + TRACE + "-b7ad6b7169203331-01"))
      .build();

  private final ExportedSpans spans = new ExportedSpans();
  private final PgJobStore store = PgJobStore.create(
      spans.vertx(),
      new PgJobStoreOptions()
          .setSchema("job_traces_" + SCHEMAS.incrementAndGet())
          .setConnectOptions(PgConnectOptions.fromUri(DATABASE.toUri())));
  private final Jobs jobs = Jobs.builder(spans.vertx(), store)
      .observer(JobTraces.create(spans.telemetry()))
      .build();

  @BeforeEach
  void connect() {
    await(store.connect());
  }

  @AfterEach
  void close() {
    await(jobs.close());
    await(store.disconnect());
    spans.close();
  }

  @Test
  void a_job_is_one_trace_from_its_callers_span_to_its_outcome() {
    jobs.worker(
        "mails",
        (job, signal) -> job.startedAttempts() == 1
            ? Future.failedFuture(new IllegalStateException("closed, secret 7"))
            : Future.succeededFuture(JobResult.done()));

    Job job = spans.underASpan(() -> jobs.queue("mails")
        .add("welcome", "secret 6", JobOptions.builder().attempts(2).build()));
    await(job.waitUntilFinished());

    SpanData created = spans.one("create welcome");
    assertChild(created, spans.caller());
    List<SpanData> attempts = spans.named("process welcome", 2);
    assertThat(attempts).allSatisfy(attempt -> {
      assertChild(attempt, created);
      assertThat(attempt.getAttributes().get(SpanNames.ID)).isEqualTo(job.id());
      assertThat(attempt.getAttributes().get(SpanNames.QUEUE)).isEqualTo("mails");
    });
    SpanData first = attempts.get(0);
    SpanData second = attempts.get(1);
    assertThat(first.getAttributes().get(SpanNames.OUTCOME)).isEqualTo("waiting");
    assertThat(first.getAttributes().get(SpanNames.ERROR)).isEqualTo("task_failed");
    assertThat(first.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(second.getAttributes().get(SpanNames.ATTEMPT)).isEqualTo(2);
    assertThat(second.getAttributes().get(SpanNames.OUTCOME)).isEqualTo("completed");
    assertThat(second.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    assertThat(second.getLinks())
        .extracting(link -> link.getSpanContext().getSpanId())
        .containsExactly(first.getSpanId());
    assertThat(spans.ofRunlane())
        .hasSize(3)
        .extracting(Object::toString)
        .noneMatch(text -> text.contains("secret"));
  }

  @Test
  void a_flow_is_one_trace_and_what_its_handlers_add_is_part_of_their_attempts() {
    jobs.worker(
        "orders",
        (job, signal) -> job.name().equals("ship")
            ? jobs.queue("mails").add("notify", 1).map(added -> JobResult.done())
            : Future.succeededFuture(JobResult.done()));

    await(await(jobs.flows()
            .add(FlowJob.of("ship", "orders", 1).after(FlowJob.of("pack", "orders", 1))))
        .job()
        .waitUntilFinished());

    SpanData root = spans.one("create ship");
    assertThat(root.getParentSpanContext().isValid()).isFalse();
    assertChild(spans.one("create pack"), root);
    assertChild(spans.one("process pack"), spans.one("create pack"));
    assertChild(spans.one("process ship"), root);
    assertChild(spans.one("create notify"), spans.one("process ship"));
  }

  @Test
  void a_blocking_handler_has_the_span_of_its_attempt_on_its_own_thread() {
    jobs.worker(
        "mails",
        JobProcessor.blocking(
            (job, signal) -> JobResult.done(Span.current().getSpanContext().getSpanId())),
        new JobWorkerOptions());

    String seen = await(
            jobs.queue("mails").add("welcome", 1).compose(job -> job.waitUntilFinished()))
        .orElseThrow()
        .text();

    assertThat(seen).isEqualTo("\"" + spans.one("process welcome").getSpanId() + "\"");
  }

  @Test
  void a_batch_has_a_span_of_its_own_linked_to_the_attempts_of_its_jobs() {
    List<Job> added = await(jobs.queue("mails")
        .addBulk(List.of(new JobEntry("a", 1, TRACED), new JobEntry("b", 1, JobOptions.NONE))));
    jobs.worker(
        "mails",
        JobProcessor.batch((batch, signal) -> jobs.queue("sent")
            .add("count", batch.size())
            .map(counted -> List.of(JobResult.done(), JobResult.unrecoverable("no address")))),
        new JobWorkerOptions().setBatchSize(2));
    added.forEach(job -> await(job.waitUntilFinished().otherwiseEmpty()));

    SpanData batch = spans.one("process mails");
    SpanData a = spans.one("process a");
    SpanData b = spans.one("process b");
    assertThat(batch.getParentSpanContext().isValid()).isFalse();
    assertThat(batch.getAttributes().get(SpanNames.BATCH)).isEqualTo(2);
    assertThat(batch.getLinks())
        .extracting(link -> link.getSpanContext().getSpanId())
        .containsExactly(a.getSpanId(), b.getSpanId());
    assertChild(spans.one("create count"), batch);
    assertChild(a, spans.one("create a"));
    assertThat(a.getTraceId()).isEqualTo(TRACE);
    assertChild(b, spans.one("create b"));
    assertThat(b.getAttributes().get(SpanNames.OUTCOME)).isEqualTo("failed");
  }
}
