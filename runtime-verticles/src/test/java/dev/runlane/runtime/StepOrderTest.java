package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.Environment;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.host.RunlaneOptions;
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
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Parallel branches of steps that take random times, in processes that are killed before or after any of their
 * writes: every execution numbers the steps alike, so that the run ends as it would have without a crash.
 */
class StepOrderTest {
  private static final int BRANCHES = 4;
  private static final int STEPS = 4;

  private final Fleet fleet = new Fleet();
  private final Map<String, Integer> effects = new TreeMap<>();

  /** Each branch is a chain whose next step depends on what came before it. */
  private Task<String> task(Random random) {
    return Task.define("branches", String.class).handler((payload, context) -> {
      List<Future<String>> branches = new ArrayList<>();
      for (int branch = 0; branch < BRANCHES; branch++) {
        branches.add(chain(context, random, "b" + branch, 0));
      }
      return Future.all(branches)
          .map(all ->
              TaskResult.done(branches.stream().map(Future::result).toList().toString()));
    });
  }

  private Future<String> chain(TaskContext context, Random random, String soFar, int depth) {
    if (depth == STEPS) {
      return Future.succeededFuture(soFar);
    }
    String name = soFar + "." + depth;
    Future<String> link = depth == 2
        ? context.sleep(Duration.ofSeconds(5)).map(slept -> soFar + "z")
        : context.step(name, String.class, () -> after(random.nextInt(200), name));
    return link.compose(done -> chain(context, random, done, depth + 1));
  }

  private Future<String> after(int millis, String name) {
    effects.merge(name, 1, Integer::sum);
    Promise<String> over = Promise.promise();
    fleet.timers.schedule(Duration.ofMillis(millis), () -> over.complete(name));
    return over.future();
  }

  static IntStream seeds() {
    return IntStream.range(0, 60);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void parallel_branches_number_alike_however_often_their_process_is_killed(int seed) {
    Random random = new Random(seed);
    Task<String> task = task(random);
    Runlane runlane = fleet.process(task);
    String runId = done(runlane.trigger(task, "x")).run().id();
    done(runlane.worker(new WorkerOptions()));

    for (int crash = 0; crash < 4; crash++) {
      killAtSomeWrite(random);
      fleet.pass(Duration.ofMillis(random.nextInt(8_000)));
      fleet.faults.kill();
      runlane = fleet.process(task);
      done(runlane.worker(new WorkerOptions()));
    }
    fleet.pass(Duration.ofMinutes(5));

    RunRecord run = done(runlane.runs().get(runId)).orElseThrow();
    assertThat(run.status()).as("seed %d", seed).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run.output().text()).isEqualTo(expected());
    assertEachPositionHasOneName(runId);
  }

  static Stream<Arguments> crashes() {
    return IntStream.range(0, 8)
        .boxed()
        .flatMap(write -> Stream.of(
            Arguments.of("before", write, (Crash) Faults::dieBefore),
            Arguments.of("after", write, (Crash) Faults::dieAfter)));
  }

  /** Eight writes: a, b, c, d with the sleep asked for, the release, the sleep, e, the outcome. */
  @ParameterizedTest(name = "{0} write {1}")
  @MethodSource("crashes")
  void a_process_may_die_before_and_after_each_of_its_writes(String when, int write, Crash crash) {
    Task<String> task = Task.define("chain", String.class).handler((payload, context) -> context
        .step("a", String.class, () -> after(1, "a"))
        .compose(a -> Future.all(
            context.step("b", String.class, () -> after(5, "b")),
            context.step("c", String.class, () -> after(9, "c"))))
        .compose(both -> Future.all(
            context.step("d", String.class, () -> after(1, "d")),
            context.sleep(Duration.ofSeconds(10))))
        .compose(both -> context.step("e", String.class, () -> after(1, "e")))
        .map(TaskResult::done));
    Runlane first = fleet.process(task);
    String runId = done(first.trigger(task, "x")).run().id();
    crash.of(fleet.faults, "appendRunEvents", write);
    done(first.worker(new WorkerOptions()));
    fleet.pass(Duration.ofSeconds(20));
    fleet.faults.kill();
    Runlane second = fleet.process(task);
    done(second.worker(new WorkerOptions()));
    fleet.pass(Duration.ofMinutes(2));

    RunRecord run = fleet.run(second, runId);
    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run.output().text()).isEqualTo("\"e\"");
    assertThat(effects.keySet()).containsExactly("a", "b", "c", "d", "e");
    assertThat(effects.values()).as("done again only what was not recorded").allMatch(n -> n <= 2);
    assertThat(fleet.types(second, runId).stream().filter("run.step_completed"::equals))
        .as("one result for each step and the sleep")
        .hasSize(6);
  }

  private interface Crash {
    void of(Faults faults, String method, int others);
  }

  /** The next write takes effect or does not, and the process is gone before it learns which. */
  private void killAtSomeWrite(Random random) {
    Faults faults = fleet.faults;
    if (random.nextBoolean()) {
      faults.before("appendRunEvents", faults::kill);
    } else {
      faults.loseReply("appendRunEvents");
    }
  }

  private static String expected() {
    List<String> branches = new ArrayList<>();
    for (int branch = 0; branch < BRANCHES; branch++) {
      branches.add("b" + branch + ".0.1z.3");
    }
    return "\"" + branches + "\"";
  }

  private void assertEachPositionHasOneName(String runId) {
    Map<String, String> names = new HashMap<>();
    Map<String, Integer> results = new HashMap<>();
    for (RunEvent event : allEvents(runId)) {
      if (event instanceof RunEvent.StepRequested requested) {
        String before = names.put(requested.stepId(), requested.name());
        assertThat(before).isIn(null, requested.name());
      }
      if (event instanceof RunEvent.StepCompleted completed) {
        results.merge(completed.stepId(), 1, Integer::sum);
      }
    }
    assertThat(names).hasSize(BRANCHES * STEPS);
    assertThat(results.values()).as("one result for each step").containsOnly(1);
    assertThat(effects.values()).as("each step is done at least once").allMatch(n -> n >= 1);
  }

  private List<RunEvent> allEvents(String runId) {
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
}
