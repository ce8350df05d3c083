package dev.runlane.runtime.attempt;

import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.runlane.operator.ForwardingOperatorStore;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.log.AppendLogLines;
import dev.runlane.operator.log.LogLevel;
import dev.runlane.operator.log.LogLine;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Fleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.ForwardingStorageAdapter;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HandlerLogTest {
  private static final Duration SOON = Duration.ofSeconds(1);

  private final Fleet fleet = new Fleet();
  private int appends;
  private boolean cut;

  private String ran(Runlane runlane, Task<String> task) {
    done(runlane.worker(new WorkerOptions()));
    String runId = done(runlane.trigger(task, "x")).run().id();
    fleet.pass(SOON);
    return runId;
  }

  private static Task<String> writing(Consumer<TaskContext> lines) {
    return Task.define("writing", String.class)
        .retry(RetryPolicy.attempts(2).fixedDelay(Duration.ofSeconds(1)))
        .handler((payload, context) -> {
          lines.accept(context);
          return context.attempt() == 1
              ? Future.failedFuture(
                  RunlaneException.of(ErrorCode.TASK_FAILED, "once more").asRetryable())
              : Future.succeededFuture(TaskResult.done());
        });
  }

  private Runlane process(Task<String> task) {
    return fleet.process(
        new ForwardingStorageAdapter(fleet.storage) {
          @Override
          public Optional<OperatorStore> operator() {
            return super.operator().map(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Void> appendLogLines(AppendLogLines command) {
                appends++;
                return cut
                    ? Future.failedFuture(RunlaneException.of(ErrorCode.STORAGE_UNAVAILABLE, "cut")
                        .asRetryable())
                    : super.appendLogLines(command);
              }
            });
          }
        },
        new RunlaneOptions(),
        List.of(TaskQueue.of("default").asDefault()),
        task);
  }

  private static List<LogLine> log(Runlane runlane, String runId) {
    return done(runlane.runs().log(runId, 200, null)).data();
  }

  @Test
  void lines_are_read_by_attempt_and_in_the_order_in_which_they_were_written() {
    Task<String> task = writing(context -> {
      context.log(LogLevel.INFO, "charging", Map.of("card", "7"));
      context.log(LogLevel.WARN, "slow bank");
    });
    Runlane runlane = process(task);

    String runId = ran(runlane, task);
    fleet.pass(Duration.ofSeconds(3));

    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(log(runlane, runId))
        .extracting(LogLine::attempt, LogLine::number, LogLine::level, LogLine::text)
        .containsExactly(
            tuple(1, 1, LogLevel.INFO, "charging"),
            tuple(1, 2, LogLevel.WARN, "slow bank"),
            tuple(2, 1, LogLevel.INFO, "charging"),
            tuple(2, 2, LogLevel.WARN, "slow bank"));
    assertThat(log(runlane, runId).get(0).fields()).containsEntry("card", "7");
    assertThat(log(runlane, runId).get(0).at()).isBetween(Fleet.NOON, Fleet.NOON.plus(SOON));
  }

  @Test
  void lines_of_many_attempts_are_written_together() {
    Task<String> task = Task.define("many", String.class).handler((payload, context) -> {
      IntStream.range(0, 5).forEach(line -> context.log(LogLevel.INFO, "line " + line));
      return Future.succeededFuture(TaskResult.done());
    });
    Runlane runlane = process(task);
    done(runlane.worker(new WorkerOptions()));
    IntStream.range(0, 20).forEach(run -> done(runlane.trigger(task, "x")));

    fleet.pass(SOON);

    assertThat(appends).isBetween(1, 5);
  }

  @Test
  void an_attempt_that_writes_too_much_is_cut_with_a_last_line_that_says_so() {
    Task<String> task = Task.define("loud", String.class).handler((payload, context) -> {
      IntStream.range(0, 2_000).forEach(line -> context.log(LogLevel.DEBUG, "line " + line));
      return Future.succeededFuture(TaskResult.done());
    });
    Runlane runlane = process(task);

    String runId = ran(runlane, task);
    fleet.pass(SOON);

    int found = 0;
    String last = "";
    String cursor = null;
    do {
      var page = done(runlane.runs().log(runId, 200, cursor));
      found += page.data().size();
      last = page.data().get(page.data().size() - 1).text();
      cursor = page.nextCursor();
    } while (cursor != null);
    assertThat(found).isEqualTo(1_001);
    assertThat(last).contains("dropped");
  }

  @Test
  void a_line_is_cut_and_repaired_rather_than_refused() {
    Map<String, String> fields = new HashMap<>();
    IntStream.range(0, 40).forEach(each -> fields.put("field " + each, "v".repeat(2_000)));
    Task<String> task = Task.define("odd", String.class).handler((payload, context) -> {
      context.log(LogLevel.ERROR, "nul \0 half \uD800 " + "x".repeat(10_000), fields);
      return Future.succeededFuture(TaskResult.done());
    });
    Runlane runlane = process(task);

    LogLine line = log(runlane, ran(runlane, task)).get(0);

    assertThat(line.text()).hasSize(8_192).startsWith("nul \uFFFD half \uFFFD x");
    assertThat(line.fields()).hasSize(32).allSatisfy((name, value) -> assertThat(value)
        .hasSize(1_024));
  }

  @Test
  void lines_wait_while_the_storage_is_away_and_no_attempt_waits_for_them() {
    Task<String> task = Task.define("patient", String.class).handler((payload, context) -> {
      context.log(LogLevel.INFO, "here");
      return Future.succeededFuture(TaskResult.done());
    });
    Runlane runlane = process(task);
    cut = true;

    String runId = ran(runlane, task);
    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(log(runlane, runId)).isEmpty();

    cut = false;
    fleet.pass(Duration.ofSeconds(3));
    assertThat(log(runlane, runId)).extracting(LogLine::text).containsExactly("here");
  }

  @Test
  void what_waits_during_an_outage_is_bounded_by_its_characters_too() {
    Task<String> task = Task.define("loud", String.class).handler((payload, context) -> {
      IntStream.range(0, 30).forEach(line -> context.log(LogLevel.INFO, "x".repeat(8_000)));
      return Future.succeededFuture(TaskResult.done());
    });
    Runlane runlane = process(task);
    cut = true;
    List<String> runs = IntStream.range(0, 60)
        .mapToObj(run -> done(runlane.trigger(task, "x")).run().id())
        .toList();
    done(runlane.worker(new WorkerOptions()));
    fleet.pass(Duration.ofSeconds(5));
    cut = false;
    appends = 0;
    fleet.pass(Duration.ofSeconds(10));

    int lines = runs.stream().mapToInt(run -> log(runlane, run).size()).sum();
    assertThat(lines).as("8 388 608 characters").isEqualTo(1_048);
    assertThat(appends).as("batches of 1 048 576 characters").isEqualTo(8);
  }

  @Test
  void what_was_written_last_is_kept_when_the_runtime_closes_in_order() {
    Task<String> task = Task.define("last", String.class).handler((payload, context) -> {
      context.log(LogLevel.INFO, "bye");
      return Future.succeededFuture(TaskResult.done());
    });
    Runlane runlane = process(task);
    done(runlane.worker(new WorkerOptions()));
    String runId = done(runlane.trigger(task, "x")).run().id();
    fleet.pass(Duration.ofMillis(20));

    Future<Void> closed = runlane.close();
    fleet.pass(Duration.ofMillis(20));

    done(closed);
    assertThat(log(fleet.process(task), runId)).extracting(LogLine::text).containsExactly("bye");
  }
}
