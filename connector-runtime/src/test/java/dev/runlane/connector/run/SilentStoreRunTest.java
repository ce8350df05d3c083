package dev.runlane.connector.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.run.Runs.Finished;
import dev.runlane.connector.run.request.ConnectorRunResult;
import dev.runlane.connector.store.record.RecordSink;
import dev.runlane.connector.store.run.RunEnds;
import dev.runlane.connector.store.timeline.AppendOutcome;
import dev.runlane.connector.store.timeline.RunTimeline;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Backoff;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("a run whose sink or store fails, or does not answer")
class SilentStoreRunTest {
  private static final Future<?> NEVER = Promise.promise().future();
  private static final String RECORD =
      "echo '{\"type\":\"RECORD\",\"stream\":\"books\",\"key\":\"a\",\"emitted_at\":\"t\",\"data\":{\"id\":\"a\"}}'; ";
  private static final String STATE =
      "echo '{\"type\":\"STATE\",\"stream\":\"books\",\"cursor\":{\"page\":5}}'; ";
  private static final String DONE =
      "echo '{\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":1}'; ";

  private final Runs runs = new Runs();
  private final AtomicInteger calls = new AtomicInteger();

  @BeforeEach
  void impatient() {
    runs.options
        .setSinkBackoff(Backoff.fixed(Duration.ofMillis(1)))
        .setSinkAttempts(2)
        .setStoreAttempts(2)
        .setCallTimeout(Duration.ofMillis(100));
  }

  @AfterEach
  void close() {
    runs.close();
  }

  /** Like the real part, but for one method; counts the calls of that. */
  private <T> T but(
      Class<T> type, T real, String method, BiFunction<Integer, Supplier<Object>, Object> answer) {
    return type.cast(Proxy.newProxyInstance(
        type.getClassLoader(), new Class<?>[] {type}, (proxy, called, arguments) -> {
          Supplier<Object> asked = () -> {
            try {
              return called.invoke(real, arguments);
            } catch (InvocationTargetException | IllegalAccessException e) {
              throw new AssertionError(e);
            }
          };
          return called.getName().equals(method)
              ? answer.apply(calls.incrementAndGet(), asked)
              : asked.get();
        }));
  }

  @Test
  void a_sink_that_never_answers_does_not_hold_a_run_open() {
    runs.sink = but(RecordSink.class, runs.store.sink(), "ingest", (call, real) -> NEVER);

    Finished run = runs.run(RECORD + STATE + DONE);

    assertThat(calls).hasValue(2);
    assertThat(run.terminal().type().value()).isEqualTo("run.failed");
    assertThat(run.reason()).isEqualTo("runtime_error");
    assertThat(run.end().path("failure_message").asText()).contains("storage_unavailable");
    assertThat(run.end().path("records_unresolved_retryable").asInt()).isEqualTo(1);
    assertThat(run.types()).doesNotContain("run.state_staged");
    assertThat(runs.cursors()).isEmpty();
  }

  @Test
  void R11_S4_a_sink_that_breaks_before_there_is_a_child_leaves_a_run_that_was_not_launched() {
    runs.sink = but(RecordSink.class, runs.store.sink(), "readState", (call, real) -> {
      throw new IllegalStateException("password=hunter2");
    });

    Finished run = runs.run(RECORD + DONE);

    assertThat(run.types()).containsExactly("run.failed");
    assertThat(run.reason()).isEqualTo("launch_failed");
    assertThat(run.end().path("records_emitted").asInt(-1)).isZero();
    assertThat(run.end().has("exit_code")).as("nothing was started").isFalse();
    assertThat(run.end().toString()).contains("IllegalStateException").doesNotContain("hunter2");
  }

  @Test
  void a_sink_that_never_answers_does_not_hold_a_run_open_past_its_limit() {
    runs.options.setSinkAttempts(1_000).setRunLimit(Duration.ofMillis(300));
    runs.sink = but(RecordSink.class, runs.store.sink(), "ingest", (call, real) -> NEVER);

    Finished run = runs.run(RECORD + DONE);

    assertThat(run.reason()).isEqualTo("run_timed_out");
    assertThat(runs.cursors()).isEmpty();
  }

  @Test
  void a_batch_whose_answer_comes_too_late_is_stored_once() {
    runs.sink = but(RecordSink.class, runs.store.sink(), "ingest", (call, real) -> {
      Object stored = real.get();
      return call == 1 ? NEVER : stored;
    });

    Finished run = runs.run(RECORD + STATE + DONE);

    assertThat(run.terminal().type().value()).isEqualTo("run.completed");
    assertThat(run.end().path("records_accepted").asInt()).isEqualTo(1);
    assertThat(runs.records("books")).containsExactly("a");
  }

  @Test
  void R4_a_run_whose_timeline_cannot_be_written_is_no_success() {
    runs.timeline = but(
        RunTimeline.class,
        runs.store.timeline(),
        "append",
        (call, real) -> call == 1
            ? real.get()
            : Future.failedFuture(
                RunlaneException.unavailable(ErrorCode.STORAGE_UNAVAILABLE, null, "gone")));

    Finished run = runs.run(RECORD + STATE + DONE);

    assertThat(run.types()).containsExactly("run.started", "run.failed");
    assertThat(run.reason()).isEqualTo("runtime_error");
    assertThat(run.end().path("failure_message").asText()).contains("timeline");
    assertThat(run.end().path("state_streams_committed").asInt()).isZero();
    assertThat(runs.cursors()).as("staged cursors are not committed").isEmpty();
    assertThat(runs.records("books")).as("flushed records stay").containsExactly("a");
  }

  @Test
  void R4_a_run_whose_timeline_never_answers_is_no_success() {
    runs.timeline = but(
        RunTimeline.class,
        runs.store.timeline(),
        "append",
        (call, real) -> call == 1 ? real.get() : NEVER);

    Finished run = runs.run(RECORD + STATE + DONE);

    assertThat(run.types()).containsExactly("run.started", "run.failed");
    assertThat(runs.cursors()).isEmpty();
  }

  @Test
  void a_run_whose_begin_cannot_be_told_launches_nothing_that_is_fed() {
    runs.timeline = but(
        RunTimeline.class,
        runs.store.timeline(),
        "append",
        (call, real) -> Future.succeededFuture(new AppendOutcome.FencedOut()));

    assertThat(runs.finish(runs.begin(RECORD + DONE)).result())
        .isEqualTo(new ConnectorRunResult.FencedOut());
    assertThat(runs.records("books")).isEmpty();
  }

  @Test
  void an_end_whose_answer_never_comes_is_stored_once() {
    runs.ends = but(RunEnds.class, runs.store.runEnds(), "end", (call, real) -> {
      Object ended = real.get();
      return call == 1 ? NEVER : ended;
    });

    Finished run = runs.run(RECORD + STATE + DONE);

    assertThat(run.types()).containsOnlyOnce("run.completed").endsWith("run.completed");
    assertThat(runs.cursors()).containsOnlyKeys("books");
    assertThat(Runs.await(runs.store.history().stats("shelf")).totalRuns()).isEqualTo(1);
  }
}
