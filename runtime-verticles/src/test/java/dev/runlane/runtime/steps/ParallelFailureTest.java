package dev.runlane.runtime.steps;

import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.Environment;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.Fleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A step that fails in one branch while other branches go on, and the retry of its run. */
class ParallelFailureTest {
  private final Fleet fleet = new Fleet();
  private final List<String> effects = new ArrayList<>();
  private final Map<String, Integer> failures = new HashMap<>(); // left, by step
  private Runlane runlane;

  private static Task<String> task(BiFunction<String, TaskContext, Future<TaskResult>> handler) {
    return Task.define("fan", String.class)
        .retry(RetryPolicy.attempts(4).fixedDelay(Duration.ofSeconds(1)))
        .handler(handler::apply);
  }

  /** A step that takes so long, leaves its name behind and fails as often as it was told. */
  private Future<String> step(TaskContext context, String name, int millis) {
    return context.step(name, String.class, () -> {
      effects.add(name);
      Promise<String> over = Promise.promise();
      fleet.timers.schedule(Duration.ofMillis(millis), () -> {
        int left = failures.getOrDefault(name, 0);
        failures.put(name, left - 1);
        if (left > 0) {
          over.fail(new IllegalStateException(name));
        } else {
          over.complete(name);
        }
      });
      return over.future();
    });
  }

  private RunRecord runToEnd(Task<String> task) {
    runlane = fleet.process(task);
    String runId = done(runlane.trigger(task, "x")).run().id();
    done(runlane.worker(new WorkerOptions()));
    fleet.pass(Duration.ofMinutes(2));
    return now(runId);
  }

  private RunRecord now(String runId) {
    return done(runlane.runs().get(runId)).orElseThrow();
  }

  private void crash(Task<String> task) {
    fleet.faults.kill();
    runlane = fleet.process(task);
    done(runlane.worker(new WorkerOptions()));
  }

  private List<RunEvent> history(String runId) {
    return done(fleet.storage.listRunEvents(new ListRunEvents(
            new Environment(RunlaneOptions.DEFAULT_ENVIRONMENT),
            RunEventFilter.ofRun(runId),
            RunEventSort.HISTORY,
            200,
            null)))
        .data()
        .stream()
        .map(RunEventRecord::event)
        .toList();
  }

  private long nonDeterministicReleases(String runId) {
    return history(runId).stream()
        .filter(event -> event instanceof RunEvent.Released released
            && StepEnds.NON_DETERMINISTIC.equals(released.reason()))
        .count();
  }

  private Future<TaskResult> joined(TaskContext context) {
    Future<String> other = step(context, "b1", 20).compose(b1 -> step(context, "b2", 20));
    return Future.join(step(context, "a", 1), other).map(both -> TaskResult.done("all"));
  }

  @Test
  void a_step_that_failed_while_another_branch_went_on_is_done_again_by_the_retry() {
    failures.put("a", 2);

    RunRecord run = runToEnd(task((payload, context) -> joined(context)));

    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run.counters().failures()).isEqualTo(2);
    assertThat(effects).containsExactly("b1", "a", "b2", "a", "a");
    assertThat(nonDeterministicReleases(run.id())).isZero();
  }

  @Test
  void all_steps_that_failed_so_are_done_again_together() {
    failures.putAll(Map.of("a", 1, "c", 1, "d", 1));

    RunRecord run = runToEnd(task((payload, context) -> {
      Future<String> other = step(context, "b1", 20).compose(b1 -> step(context, "b2", 20));
      return Future.join(
              step(context, "a", 1), step(context, "c", 5), other, step(context, "d", 60))
          .map(all -> TaskResult.done("all"));
    }));

    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run.counters().failures()).isEqualTo(1);
    assertThat(effects).containsExactly("b1", "a", "c", "d", "b2", "d", "a", "c");
  }

  @Test
  void what_was_under_way_when_the_first_failure_ended_the_attempt_is_done_again() {
    failures.put("a", 1);

    RunRecord run = runToEnd(
        task((payload, context) -> Future.all(step(context, "a", 1), step(context, "b", 20))
            .map(both -> TaskResult.done("all"))));

    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run.counters().failures()).isEqualTo(1);
    assertThat(effects).containsExactlyInAnyOrder("a", "b", "a", "b");
    assertThat(history(run.id()))
        .filteredOn(event -> event instanceof RunEvent.StepCompleted done && !done.isFailed())
        .as("what the dropped branch brought is not recorded")
        .hasSize(2);
  }

  @Test
  void a_failure_that_brought_steps_of_all_branches_about_is_answered_again() {
    failures.put("charge", 9);

    RunRecord run = runToEnd(task(
        (payload, context) -> Future.join(step(context, "charge", 1), step(context, "reserve", 20))
            .recover(
                failure -> step(context, "refund", 1).compose(done -> Future.failedFuture(failure)))
            .compose(both -> step(context, "ship", 1))
            .map(TaskResult::done)));

    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
    assertThat(effects)
        .as("nobody is charged after the refund")
        .containsExactly("charge", "reserve", "refund");
    assertThat(nonDeterministicReleases(run.id())).isZero();
  }

  @Test
  void such_a_failure_beside_a_branch_of_its_own_is_never_done_again_either() {
    failures.put("charge", 9);

    RunRecord run = runToEnd(task((payload, context) -> {
      Future<String> aside = step(context, "e1", 40).compose(e1 -> step(context, "e2", 40));
      Future<String> main = Future.join(step(context, "charge", 1), step(context, "reserve", 20))
          .recover(
              failure -> step(context, "refund", 30).compose(done -> Future.failedFuture(failure)))
          .compose(both -> step(context, "ship", 1));
      return Future.join(main, aside).map(all -> TaskResult.done("all"));
    }));

    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
    assertThat(effects).containsExactly("e1", "charge", "reserve", "refund", "e2");
    assertThat(run.counters().failures()).isEqualTo(4);
    assertThat(nonDeterministicReleases(run.id())).as("once, and never again").isEqualTo(1);
  }

  @Test
  void a_failure_its_own_branch_dealt_with_is_answered_again_whatever_ends_the_attempt() {
    failures.put("a", 9);

    RunRecord run = runToEnd(task((payload, context) -> {
      Future<String> other = step(context, "b1", 20).compose(b1 -> step(context, "b2", 20));
      Future<String> saga = step(context, "a", 1).recover(failure -> step(context, "undo", 1)
          .compose(done -> Future.failedFuture(failure)));
      return Future.join(saga, other).map(all -> TaskResult.done("all"));
    }));

    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
    assertThat(effects).containsExactly("b1", "a", "undo", "b2");
    assertThat(nonDeterministicReleases(run.id())).isZero();
  }

  @Test
  void a_failure_that_was_tolerated_is_not_done_again_because_another_step_failed() {
    failures.putAll(Map.of("a", 9, "b2", 1));

    RunRecord run = runToEnd(task((payload, context) -> {
      Future<String> other = step(context, "b1", 20).compose(b1 -> step(context, "b2", 20));
      return Future.join(step(context, "a", 1).otherwise("none"), other)
          .map(all -> TaskResult.done("all"));
    }));

    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(effects).containsExactly("b1", "a", "b2", "b2");
  }

  /** As do histories that were written before a retry said which steps it repeats. */
  @Test
  void an_attempt_that_was_lost_after_the_failure_is_followed_by_one_that_ends_with_it() {
    failures.put("a", 1);
    Task<String> task = task((payload, context) -> joined(context));
    runlane = fleet.process(task);
    String runId = done(runlane.trigger(task, "x")).run().id();
    fleet.faults.dieAfter("appendRunEvents", 2);
    done(runlane.worker(new WorkerOptions()));
    fleet.pass(Duration.ofSeconds(5));
    assertThat(effects).containsExactly("b1", "a", "b2");

    crash(task);
    fleet.pass(Duration.ofMinutes(2));

    assertThat(now(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(now(runId).counters().failures()).isEqualTo(1);
    assertThat(effects).containsExactly("b1", "a", "b2", "a");
  }

  @Test
  void a_process_that_dies_while_the_step_is_done_again_is_followed_by_one_that_does_it() {
    failures.put("a", 1);
    Task<String> task = task((payload, context) ->
        joined(context).compose(all -> step(context, "last", 5_000)).map(TaskResult::done));
    runlane = fleet.process(task);
    String runId = done(runlane.trigger(task, "x")).run().id();
    fleet.faults.dieBefore("appendRunEvents", 4);
    done(runlane.worker(new WorkerOptions()));
    fleet.pass(Duration.ofSeconds(5));
    assertThat(effects).containsExactly("b1", "a", "b2", "a");

    crash(task);
    fleet.pass(Duration.ofSeconds(35));
    assertThat(effects).as("done again").containsExactly("b1", "a", "b2", "a", "a", "last");
    crash(task);
    fleet.pass(Duration.ofMinutes(2));

    assertThat(now(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(effects)
        .as("recorded by now")
        .containsExactly("b1", "a", "b2", "a", "a", "last", "last");
  }

  @Test
  void a_sleep_that_goes_on_beside_it_does_not_hold_the_retry_up() {
    failures.put("a", 1);

    RunRecord run = runToEnd(task((payload, context) -> {
      Future<String> other =
          context.sleep(Duration.ofSeconds(5)).compose(slept -> step(context, "b", 1));
      return Future.join(step(context, "a", 1), other).map(all -> TaskResult.done("all"));
    }));

    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(effects).containsExactly("a", "b", "a");
  }

  static IntStream seeds() {
    return IntStream.range(0, 40);
  }

  /** Chains with steps that fail now and then, joined, in processes that are killed at some of their writes. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void chains_that_fail_here_and_there_end_whatever_dies_meanwhile(int seed) {
    Random random = new Random(seed);
    for (int branch = 0; branch < 4; branch++) {
      failures.put("s" + branch + "." + random.nextInt(3), 1 + random.nextInt(2));
    }
    int[] millis = random.ints(12, 1, 60).toArray();
    Task<String> task = Task.define("chains", String.class)
        .maxLostAttempts(100)
        .retry(RetryPolicy.attempts(20).fixedDelay(Duration.ofSeconds(1)))
        .handler((payload, context) -> {
          List<Future<String>> branches = new ArrayList<>();
          for (int branch = 0; branch < 4; branch++) {
            branches.add(chain(context, branch, 0, millis));
          }
          return Future.join(branches)
              .compose(all -> step(context, "end", 1))
              .map(TaskResult::done);
        });
    runlane = fleet.process(task);
    String runId = done(runlane.trigger(task, "x")).run().id();
    done(runlane.worker(new WorkerOptions()));
    for (int death = 0; death < 3; death++) {
      if (random.nextBoolean()) {
        fleet.faults.dieBefore("appendRunEvents", random.nextInt(12));
      } else {
        fleet.faults.dieAfter("appendRunEvents", random.nextInt(12));
      }
      fleet.pass(Duration.ofMillis(random.nextInt(4_000)));
      crash(task);
      fleet.pass(Duration.ofSeconds(31));
    }
    fleet.pass(Duration.ofMinutes(3));

    RunRecord run = now(runId);
    assertThat(run.status()).as("seed %d: %s", seed, run.failure()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(nonDeterministicReleases(runId)).isZero();
    Map<String, String> names = new HashMap<>();
    for (RunEvent event : history(runId)) {
      if (event instanceof RunEvent.StepRequested requested) {
        String before = names.put(requested.stepId(), requested.name());
        assertThat(before).isIn(null, requested.name());
      }
    }
    assertThat(names).hasSize(13);
  }

  private Future<String> chain(TaskContext context, int branch, int link, int[] millis) {
    return link == 3
        ? Future.succeededFuture("s" + branch)
        : step(context, "s" + branch + "." + link, millis[branch * 3 + link])
            .compose(done -> chain(context, branch, link + 1, millis));
  }
}
