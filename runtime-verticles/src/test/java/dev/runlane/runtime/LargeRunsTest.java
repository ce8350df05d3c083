package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.maintenance.Dispatcher;
import dev.runlane.runtime.maintenance.DispatcherOptions;
import dev.runlane.runtime.operate.RunEndListener;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.ForwardingStorageAdapter;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunFilter;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Of many runs whose payloads and results are as large as they may be few are held at a time. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class LargeRunsTest {
  private static final String LARGE = "x".repeat(ContractDefaults.MAX_PAYLOAD_BYTES - 2);
  private static final int MANY = 40;
  private static final int MOST_AT_FIRST = 32;
  private static final int FITTING = 8; // mebibytes of one read
  private static final List<TaskQueue> QUEUES = List.of(TaskQueue.of("default").asDefault());
  private static final Duration DAY = Duration.ofDays(1);

  private final Fleet fleet = new Fleet();
  private final List<Integer> asked = new ArrayList<>(); // runs of each read
  private final List<ListRunEvents> histories = new ArrayList<>();
  private final Task<String> task = Task.define("task", String.class)
      .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));

  private StorageAdapter watched() {
    return new ForwardingStorageAdapter(fleet.storage) {
      @Override
      public Future<List<RunRecord>> getRuns(GetRuns query) {
        asked.add(query.runIds().size());
        return super.getRuns(query);
      }

      @Override
      public Future<Page<RunEventRecord>> listRunEvents(ListRunEvents query) {
        histories.add(query);
        return super.listRunEvents(query);
      }
    };
  }

  private Runlane process(RunlaneOptions options, Task<String> of) {
    return fleet.process(watched(), options, QUEUES, of);
  }

  private List<String> triggered(Runlane process) {
    return IntStream.range(0, MANY)
        .mapToObj(i -> done(process.trigger(task, LARGE)).run().id())
        .toList();
  }

  @Test
  void runs_that_are_awaited_are_read_a_few_at_a_time_and_each_end_is_seen() {
    Runlane here = process(new RunlaneOptions(), task);
    Runlane there = fleet.process(task);
    List<String> runIds = triggered(there);
    List<Future<RunRecord>> ends =
        runIds.stream().map(runId -> here.awaitRun(runId, DAY)).toList();
    asked.clear();

    fleet.pass(Duration.ofMillis(250));

    assertThat(asked).allSatisfy(runs -> assertThat(runs).isBetween(1, FITTING));
    assertThat(asked.stream().mapToInt(Integer::intValue).sum()).isEqualTo(MANY);

    asked.clear();
    runIds.forEach(runId -> done(there.runs().cancel(runId, RunActionOptions.by("anna"))));
    fleet.pass(Duration.ofSeconds(2));

    assertThat(ends)
        .allSatisfy(end -> assertThat(done(end).status()).isEqualTo(RunStatus.CANCELLED));
    assertThat(asked).isNotEmpty().allSatisfy(runs -> assertThat(runs).isBetween(1, FITTING));
  }

  @Test
  void runs_whose_ends_are_listened_to_are_read_a_few_at_a_time_and_each_end_is_heard() {
    Runlane here = process(new RunlaneOptions(), task);
    Runlane there = fleet.process(task);
    List<String> heard = new ArrayList<>();
    done(here.subscribe(RunFilter.ALL, new RunEndListener() {
      @Override
      public void ended(RunRecord run) {
        heard.add(run.id());
      }

      @Override
      public void missed(Instant from, Instant until) {
        throw new AssertionError("nothing is missed");
      }
    }));
    List<String> runIds = triggered(there);
    fleet.settle();
    asked.clear();
    runIds.forEach(runId -> done(there.runs().cancel(runId, RunActionOptions.by("anna"))));

    fleet.pass(Duration.ofSeconds(2));

    assertThat(heard).containsExactlyInAnyOrderElementsOf(runIds);
    assertThat(asked).containsExactly(MOST_AT_FIRST, MANY - MOST_AT_FIRST);
    assertThat(histories).isNotEmpty().allSatisfy(query -> assertThat(query.bytes())
        .isNotNull());
  }

  @Test
  void sweeps_read_a_few_large_runs_at_a_time_and_bring_each_forward() {
    TaskQueue bounded = TaskQueue.of("bounded").concurrencyLimit(MANY);
    Task<String> waiting = Task.define("task", String.class)
        .queue(bounded)
        .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));
    Runlane here = fleet.process(watched(), new RunlaneOptions(), List.of(bounded), waiting);
    List<String> runIds = IntStream.range(0, MANY)
        .mapToObj(i -> done(here.trigger(waiting, LARGE)).run().id())
        .toList();
    asked.clear();

    done(new Dispatcher(here.context(), new DispatcherOptions()).reserveDispatches());

    assertThat(asked).containsExactly(MOST_AT_FIRST, MANY - MOST_AT_FIRST);
    assertThat(runIds)
        .allSatisfy(runId ->
            assertThat(done(here.runs().get(runId)).orElseThrow().reservation()).isNotNull());
  }

  @Test
  void a_history_of_large_results_is_read_in_pages_of_a_few() {
    int steps = 12;
    Task<String> large = steps(steps);
    Runlane here = process(new RunlaneOptions(), large);
    String runId = done(here.trigger(large, "x")).run().id();
    done(here.worker(new WorkerOptions()));
    fleet.settle();
    histories.clear();

    fleet.pass(DAY.plusSeconds(60));

    assertThat(done(here.runs().get(runId)).orElseThrow().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(histories)
        .filteredOn(query -> query.filter().types().contains(RunEventType.STEP_COMPLETED))
        .hasSizeGreaterThan(2)
        .allSatisfy(query ->
            assertThat(Objects.requireNonNull(query.bytes())).isLessThanOrEqualTo(FITTING << 20));
  }

  @Test
  void a_run_whose_steps_have_more_than_the_bound_fails_at_once_and_none_waits_for_it() {
    Task<String> large = steps(12);
    Runlane here = process(new RunlaneOptions().setMaxStepBytes(2 * LARGE.length()), large);
    String runId = done(here.trigger(large, "x")).run().id();
    String other = done(here.trigger(large, "x")).run().id();
    done(here.worker(new WorkerOptions().setConcurrency(1)));

    fleet.settle();

    for (String each : List.of(runId, other)) {
      RunRecord run = fleet.run(here, each);
      assertThat(run.status()).isEqualTo(RunStatus.FAILED);
      assertThat(run.failure().code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
      assertThat(run.failure().retryable()).isFalse();
    }
  }

  @Test
  void results_beyond_the_bound_fail_an_attempt_that_reads_them() {
    Task<String> large = steps(3);
    Runlane before = fleet.process(large);
    String runId = done(before.trigger(large, "x")).run().id();
    done(before.worker(new WorkerOptions()));
    fleet.settle();
    fleet.faults.kill();
    Runlane here = process(new RunlaneOptions().setMaxStepBytes(LARGE.length()), large);
    done(here.worker(new WorkerOptions()));

    fleet.pass(DAY.plusSeconds(60));

    assertThat(fleet.run(here, runId).status()).isEqualTo(RunStatus.FAILED);
    assertThat(fleet.run(here, runId).failure().code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
  }

  /** So many steps whose results are large, and then a sleep, after which all of them are read again. */
  private static Task<String> steps(int steps) {
    return Task.define("task", String.class).handler((payload, context) -> {
      Future<String> last = Future.succeededFuture("");
      for (int i = 0; i < steps; i++) {
        String name = "step " + i;
        last = last.compose(
            before -> context.step(name, String.class, () -> Future.succeededFuture(LARGE)));
      }
      return last.compose(all -> context.sleep(DAY)).map(slept -> TaskResult.done());
    });
  }
}
