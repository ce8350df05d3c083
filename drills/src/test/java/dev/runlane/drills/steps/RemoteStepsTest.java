package dev.runlane.drills.steps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.fleet.RemoteRuntime;
import dev.runlane.drills.process.Await;
import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.RemoteStep;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.sql.SqlStepOptions;
import dev.runlane.steps.sql.SqlStepTransport;
import dev.runlane.steps.sql.worker.SqlStepWorker;
import dev.runlane.steps.sql.worker.SqlStepWorkerOptions;
import dev.runlane.steps.sql.worker.StepHandler;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.testinfra.postgres.PostgresServers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Runs, and a worker of their steps with connections of its own, on one real Postgres. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class RemoteStepsTest {
  private static final Duration BOUND = Duration.ofSeconds(100);
  private static final int CHAIN = 20;
  private static final int WIDTH = 400; // two pages of history

  private static final AtomicInteger CASES = new AtomicInteger();

  private static Vertx vertx;
  private static PgConnectOptions address;

  /** The environment of a case, and the prefix of its two tables. */
  private final String scope = "case_" + CASES.incrementAndGet();

  private final SqlStepTransport workersSide = transport();
  private final SqlStepWorker worker = SqlStepWorker.create(
      vertx, workersSide, new SqlStepWorkerOptions().setLease(Duration.ofSeconds(2)));

  private Runlane runlane;

  @BeforeAll
  static void open() {
    vertx = Vertx.vertx();
    address = PgConnectOptions.fromUri(
        PostgresServers.shared().createDatabase("remote_steps").toUri());
  }

  @AfterAll
  static void closeVertx() {
    Await.result(vertx.close());
  }

  @AfterEach
  void close() {
    Await.result(worker.stop().eventually(workersSide::close).eventually(runlane::close));
  }

  private SqlStepTransport transport() {
    return SqlStepTransport.postgres(vertx, address, new SqlStepOptions().setPrefix(scope));
  }

  private void start(Task<Integer> task) {
    PgStorageAdapter storage =
        PgStorageAdapter.create(vertx, new PgStorageOptions().setConnectOptions(address));
    runlane = Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .stepTransport(transport())
        .options(new RunlaneOptions().setEnvironment(scope))
        .queue(TaskQueue.of("default").asDefault())
        .task(task)
        .build();
    Await.result(runlane.deploy(vertx, RemoteRuntime.roles("engine")));
  }

  private RunRecord run(Task<Integer> task) {
    String runId = Await.result(runlane.trigger(task, 1)).run().id();
    return Await.result(runlane.awaitRun(runId, BOUND));
  }

  private void serve(String name, StepHandler handler) {
    worker.handle(name, handler);
    Await.result(worker.start());
  }

  private RunEvent.StepCompleted result(RunRecord run) {
    return results(run).get(0);
  }

  private List<RunEvent.StepCompleted> results(RunRecord run) {
    List<RunEventRecord> history = new ArrayList<>();
    String cursor = null;
    do {
      Page<RunEventRecord> page =
          Await.result(runlane.runs().events(run.id(), RunEventSort.HISTORY, null, cursor));
      history.addAll(page.data());
      cursor = page.nextCursor();
    } while (cursor != null);
    return history.stream()
        .map(RunEventRecord::event)
        .filter(RunEvent.StepCompleted.class::isInstance)
        .map(RunEvent.StepCompleted.class::cast)
        .toList();
  }

  private static Task<Integer> asking(RemoteStep<Integer> step) {
    return Task.define("asking", Integer.class)
        .handler((number, context) -> context.remote(step, number).map(TaskResult::done));
  }

  @Test
  void a_failure_is_retried_and_the_history_tells_attempts_and_times() {
    Task<Integer> task = asking(RemoteStep.of("count", Integer.class)
        .retry(RetryPolicy.attempts(3).fixedDelay(Duration.ofMillis(20))));
    serve(
        "count",
        call -> Future.succeededFuture(
            call.task().attempt() < 3 ? call.failed("busy", "not now") : call.done(7)));
    start(task);

    RunRecord run = run(task);

    assertThat(run.output()).isEqualTo(Json.ofChecked("7"));
    assertThat(result(run).tries()).isEqualTo(3);
    assertThat(result(run).dispatchedAt()).isNotNull();
    assertThat(result(run).startedAt()).isNotNull();
  }

  @Test
  void results_of_hundreds_of_steps_at_once_are_stored_together_and_each_once() {
    Task<Integer> task = Task.define("wide", Integer.class)
        .handler((number, context) -> Future.all(IntStream.range(0, WIDTH)
                .mapToObj(each -> context.remote("count", each, Integer.class))
                .toList())
            .map(all -> TaskResult.done(all.size())));
    serve("count", call -> Future.succeededFuture(call.done(1)));
    start(task);

    RunRecord run = run(task);

    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    List<RunEvent.StepCompleted> results = results(run);
    assertThat(results).hasSize(WIDTH);
    assertThat(results).extracting(RunEvent.StepCompleted::stepId).doesNotHaveDuplicates();
    assertThat(results.stream().map(each -> each.header().occurredAt()).distinct())
        .hasSizeLessThan(WIDTH / 2);
  }

  @Test
  void a_failure_for_good_is_not_retried() {
    Task<Integer> task =
        asking(RemoteStep.of("count", Integer.class).retry(RetryPolicy.attempts(3)));
    serve("count", call -> Future.succeededFuture(call.failedForGood("no_card", "no card")));
    start(task);

    RunRecord run = run(task);

    FailureRecord failure = run.failure();
    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
    assertThat(failure.code()).isEqualTo(ErrorCode.TASK_FAILED);
    assertThat(failure.retryable()).isFalse();
    assertThat(failure.meta()).isEqualTo(Json.ofChecked("{\"stepCode\":\"no_card\"}"));
    assertThat(result(run).tries()).isEqualTo(1);
  }

  @Test
  void a_worker_hears_that_the_run_was_cancelled_and_its_answer_is_dropped() {
    Promise<String> called = Promise.promise();
    Promise<Void> cancelled = Promise.promise();
    Promise<Void> told = Promise.promise();
    Task<Integer> task = asking(RemoteStep.of("count", Integer.class));
    serve(
        "count",
        call -> { // again, where the lease has run out before the run was cancelled
          called.tryComplete(call.task().runId());
          return cancelled
              .future()
              .compose(before -> call.leaseLost())
              .onSuccess(lost -> told.tryComplete())
              .map(lost -> call.done(1));
        });
    start(task);
    String runId = Await.result(runlane.trigger(task, 1)).run().id();

    assertThat(Await.result(called.future())).isEqualTo(runId);
    Await.result(runlane.runs().cancel(runId, new RunActionOptions()));
    cancelled.complete();

    Await.result(told.future());
    assertThat(Await.result(runlane.awaitRun(runId, BOUND)).status())
        .isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  void a_step_past_its_deadline_fails_and_its_worker_loses_it() {
    Promise<Void> called = Promise.promise();
    Promise<Void> told = Promise.promise();
    Task<Integer> task =
        asking(RemoteStep.of("count", Integer.class).deadline(Duration.ofMillis(700)));
    serve("count", call -> {
      called.tryComplete();
      call.leaseLost().onSuccess(lost -> told.tryComplete());
      return Promise.<StepOutcome>promise().future();
    });
    start(task);

    Await.until("the deadline passes while a worker has the step", BOUND, () -> {
      RunRecord run = run(task);
      assertThat(run.status()).isEqualTo(RunStatus.FAILED);
      assertThat(run.failure().meta()).isEqualTo(Json.ofChecked("{\"reason\":\"step_deadline\"}"));
      return called.future().isComplete();
    });

    Await.result(told.future());
  }

  @Test
  void a_blocking_handler_gives_its_thread_up_while_it_waits() {
    Promise<Void> answer = Promise.promise();
    Promise<Void> called = Promise.promise();
    RemoteStep<Integer> step = RemoteStep.of("count", Integer.class);
    Task<Integer> task = Task.define("asking", Integer.class)
        .blockingHandler(
            (number, context) -> TaskResult.done(context.callRemote(step, number) + 1));
    serve("count", call -> {
      called.tryComplete();
      return answer.future().map(done -> call.done(41));
    });
    start(task);
    String runId = Await.result(runlane.trigger(task, 1)).run().id();
    Await.result(called.future());
    Await.until(
        "the run is released",
        BOUND,
        () -> Await.result(runlane.runs().get(runId)).orElseThrow().status() == RunStatus.RELEASED);

    answer.complete();

    assertThat(Await.result(runlane.awaitRun(runId, BOUND)).output())
        .isEqualTo(Json.ofChecked("42"));
  }

  @Test
  void each_step_of_a_chain_gets_what_the_one_before_answered() {
    Task<Integer> task = Task.define("asking", Integer.class).handler((number, context) -> {
      Future<Integer> last = Future.succeededFuture(number);
      for (int step = 0; step < CHAIN; step++) {
        last = last.compose(before -> context.remote("count", before, Integer.class));
      }
      return last.map(TaskResult::done);
    });
    serve(
        "count",
        call -> Future.succeededFuture(
            call.done(Integer.parseInt(call.input().orElseThrow().text()) + 1)));
    start(task);
    run(task); // connections, plans, tables

    long begun = System.nanoTime();
    RunRecord run = run(task);
    System.out.printf(
        "a chain of %d remote steps: %.1f ms a step, %d attempts%n",
        CHAIN, (System.nanoTime() - begun) / 1e6 / CHAIN, run.counters().attempts());

    assertThat(run.output()).isEqualTo(Json.ofChecked(String.valueOf(CHAIN + 1)));
  }
}
