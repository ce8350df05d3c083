package dev.runlane.testing;

import static dev.runlane.testing.RunlaneAssertions.assertThat;
import static dev.runlane.testing.RunlaneAssertions.assertThatThrownBy;

import dev.runlane.run.ErrorCode;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An assertion that does not hold fails, and shows why. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class RunAssertTest {
  private final RunlaneTesting testing = RunlaneTesting.create();

  private TestRun released() {
    Task<String> task = Task.define("test.task", String.class)
        .handler((payload, context) -> Future.succeededFuture(
            context.attempt() == 1
                ? context.release(Duration.ofHours(2), "business hours")
                : TaskResult.done(Map.of("b", 1, "a", payload))));
    TestRun run = testing.deploy(task).trigger(task, "x");
    testing.runUntilIdle();
    return run;
  }

  static Stream<Consumer<RunAssert>> untrue() {
    return Stream.of(
        RunAssert::failed,
        RunAssert::cancelled,
        RunAssert::isWaiting,
        RunAssert::isRunning,
        run -> run.isWaitingUntil(Instant.EPOCH),
        run -> run.failedWith(ErrorCode.TASK_FAILED),
        run -> run.hasFailureContaining("x"),
        run -> run.afterAttempts(1),
        run -> run.afterFailures(1),
        run -> run.waited(Duration.ofHours(1)),
        run -> run.waited(Duration.ZERO),
        run -> run.waitedBetweenAttempts(),
        run -> run.waitedBetweenAttempts(Duration.ofHours(1)),
        run -> run.endedAt(Instant.EPOCH),
        run -> run.hasOutput(null),
        run -> run.hasOutput(Map.of("a", "x")),
        run -> run.completedSteps("one"),
        run -> run.wasReleasedBecause("worker_stopping"));
  }

  @ParameterizedTest
  @MethodSource
  void untrue(Consumer<RunAssert> assertion) {
    TestRun run = released();

    assertThatThrownBy(() -> assertion.accept(assertThat(run)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(run.id());
  }

  @Test
  void what_holds_passes() {
    assertThat(released())
        .succeeded()
        .afterAttempts(2)
        .afterFailures(0)
        .waited(Duration.ofHours(2))
        .waitedBetweenAttempts(Duration.ofHours(2))
        .endedAt(Instant.parse("2026-01-01T14:00:00Z"))
        .hasOutput(Map.of("a", "x", "b", 1))
        .completedSteps()
        .wasReleasedBecause("business hours");
  }

  @Test
  void a_failure_shows_the_timeline_of_the_run() {
    TestRun run = released();

    assertThatThrownBy(() -> assertThat(run).afterAttempts(1)).hasMessageContaining("""
        expected run run_01kdwpvng0kkc6hyredxm4vycn to have made 1 attempts, but it made 2

        run run_01kdwpvng0kkc6hyredxm4vycn of task test.task is succeeded; created at 2026-01-01T12:00:00Z
              00:00:00.000  run.created                test.task on queue default
              00:00:00.000  run.delivery_requested
        """);
    assertThatThrownBy(() -> assertThat(run).failed())
        .hasMessageContaining("run.released               business hours");
  }

  @Test
  void a_failure_tells_what_the_handler_failed_with() {
    Task<String> task = Task.define("test.task", String.class).handler((payload, context) -> {
      throw new IllegalStateException("the mail server is down");
    });
    TestRun run = testing.deploy(task).trigger(task, "x");
    testing.runUntilIdle();

    assertThatThrownBy(() -> assertThat(run).succeeded())
        .hasMessageContaining(
            "the handler of attempt 1 failed with java.lang.IllegalStateException:"
                + " the mail server is down");
  }

  @Test
  void a_failure_tells_that_a_handler_has_not_answered() {
    Task<String> task = Task.define("test.task", String.class)
        .handler((payload, context) -> Promise.<TaskResult>promise().future());
    TestRun run = testing.deploy(task).trigger(task, "x");
    testing.runUntilIdle();

    assertThatThrownBy(() -> assertThat(run).succeeded())
        .hasMessageContaining("the handler's future is not complete");
  }
}
