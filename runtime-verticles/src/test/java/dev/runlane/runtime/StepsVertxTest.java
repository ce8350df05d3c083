package dev.runlane.runtime;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.BlockedLoops;
import dev.runlane.lane.Lane;
import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.Step;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.testinfra.postgres.ReusedSessions;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Steps on real event loops and threads, and on a real Postgres. */
class StepsVertxTest {
  private static final PostgresAddress DATABASE =
      new ReusedSessions(PostgresServers.shared().createDatabase("steps")).address();
  private static final AtomicInteger SCHEMAS = new AtomicInteger();
  private static final Duration SOON = Duration.ofSeconds(60);

  /** An attempt is given up for it however slow the machine is just now: one that is over by then releases nothing. */
  private static final Duration LONGER_THAN_A_STALL = Duration.ofSeconds(5);

  private final BlockedLoops blocked = new BlockedLoops();
  private final List<Runlane> processes = new ArrayList<>();
  private final List<String> effects = new CopyOnWriteArrayList<>();
  private Vertx vertx;
  private PgStorageOptions options;

  @BeforeEach
  void start() {
    vertx = blocked.watched();
    options = new PgStorageOptions()
        .setSchema("steps_" + SCHEMAS.incrementAndGet())
        .setConnectOptions(PgConnectOptions.fromUri(DATABASE.toUri()));
  }

  @AfterEach
  void stop() {
    processes.forEach(process -> await(process.close()));
    await(vertx.close());
    blocked.assertNone();
  }

  private Runlane process(Task<?>... tasks) {
    return process(new RunlaneOptions(), tasks);
  }

  private Runlane process(RunlaneOptions runtime, Task<?>... tasks) {
    PgStorageAdapter storage = PgStorageAdapter.create(vertx, options);
    Lane lane = Lanes.create(storage, storage.notifyTransport());
    Runlane runlane = Runlane.builder(vertx, lane)
        .options(runtime)
        .queue(TaskQueue.of("default").asDefault())
        .tasks(List.of(tasks))
        .build();
    processes.add(runlane);
    return runlane;
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(70, SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    }
  }

  private static RunRecord ended(Runlane runlane, String runId) {
    RunRecord run = await(runlane.awaitRun(runId, SOON));
    List<RunEvent> events = await(runlane.runs().events(runId)).data().stream()
        .map(RunEventRecord::event)
        .toList();
    assertThat(RunReducer.projectRunEvents(null, 0, events)).isEqualTo(run);
    return run;
  }

  @Test
  void a_step_whose_future_throws_when_it_is_listened_to_ends_and_its_run_with_it() {
    Task<String> task = Task.define("own", String.class).handler((payload, context) -> context
        .step("own", String.class, () -> OutcomeTest.futureThatThrowsAt("onComplete"))
        .map(TaskResult::done));
    Runlane runlane = process(task);
    await(runlane.deploy(vertx, new RunlaneDeployment()));

    String runId = await(runlane.trigger(task, "x")).run().id();

    assertThat(ended(runlane, runId).status()).isEqualTo(RunStatus.FAILED);
  }

  @Test
  void steps_and_a_sleep_go_on_in_another_process() {
    Task<String> task = Task.define("steps", String.class).handler((payload, context) -> context
        .step("charge", String.class, () -> effect("charge"))
        .compose(charged -> context.sleep(LONGER_THAN_A_STALL).map(charged))
        .compose(charged -> context
            .step("ship", String.class, () -> effect("ship"))
            .map(shipped -> TaskResult.done(charged + ", " + shipped))));
    RunlaneOptions atOnce = new RunlaneOptions().setStepWaitWithoutSlot(Duration.ZERO);
    Runlane first = process(atOnce, task);
    await(first.deploy(vertx, new RunlaneDeployment()));
    String runId = await(first.trigger(task, "x")).run().id();
    untilReleased(first, runId);
    await(first.close());

    Runlane second = process(task);
    await(second.deploy(vertx, new RunlaneDeployment()));
    RunRecord run = ended(second, runId);

    assertThat(run.output().text()).isEqualTo("\"charge, ship\"");
    assertThat(effects).containsExactly("charge", "ship");
    assertThat(run.counters().releases()).isEqualTo(1);
  }

  /** Until its attempt was given up for the sleep that it asked for. */
  private void untilReleased(Runlane runlane, String runId) {
    for (int tries = 0; tries < 1_200; tries++) {
      if (await(runlane.runs().get(runId)).orElseThrow().counters().releases() > 0) {
        return;
      }
      await(vertx.timer(50, MILLISECONDS));
    }
    throw new AssertionError("run " + runId + " was never released");
  }

  @Test
  void a_callback_that_throws_at_the_result_of_a_step_holds_no_other_result_back() {
    Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
    vertx.exceptionHandler(thrown::add);
    Task<String> task = Task.define("callbacks", String.class).handler((payload, context) -> {
      context.step("audit", String.class, () -> effect("audit")).onSuccess(audited -> {
        throw new IllegalStateException("of a callback");
      });
      context.signal().onComplete(signalled -> {
        throw new IllegalStateException("of the signal");
      });
      return context
          .step("charge", String.class, () -> effect("charge"))
          .compose(charged -> context.step("ship", String.class, () -> effect("ship")))
          .map(TaskResult::done);
    });
    Runlane runlane = process(task);
    await(runlane.deploy(vertx, new RunlaneDeployment()));

    RunRecord run = ended(runlane, await(runlane.trigger(task, "x")).run().id());

    assertThat(run.output().text()).isEqualTo("\"ship\"");
    assertThat(thrown).extracting(Throwable::getMessage).contains("of a callback");
  }

  @Test
  void a_storage_that_a_worker_verticle_made_does_not_wait_for_what_blocks_there() {
    Task<String> task = Task.define("elsewhere", String.class)
        .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));
    CountDownLatch release = new CountDownLatch(1);
    Promise<Runlane> made = Promise.promise();
    vertx.deployVerticle(
        new VerticleBase() {
          @Override
          public Future<?> start() {
            made.complete(process(task));
            context.runOnContext(turn -> awaitLatch(release));
            return Future.succeededFuture();
          }
        },
        new DeploymentOptions().setThreadingModel(ThreadingModel.WORKER));
    Runlane runlane = await(made.future());
    try {
      await(runlane.deploy(vertx, new RunlaneDeployment()));

      RunRecord run = ended(runlane, await(runlane.trigger(task, "x")).run().id());

      assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    } finally {
      release.countDown();
    }
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, SECONDS)).isTrue();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void a_storage_that_is_closed_cannot_be_started() {
    PgStorageAdapter storage = PgStorageAdapter.create(vertx, options);
    await(storage.start());
    await(storage.close());

    assertThat(((RunlaneException) storage.start().cause()).code())
        .isEqualTo(ErrorCode.OPERATION_CANCELLED);
  }

  private Future<String> effect(String name) {
    effects.add(name);
    Promise<String> later = Promise.promise();
    vertx.setTimer(5, id -> later.complete(name));
    return later.future();
  }

  @Test
  void many_runs_with_parallel_steps_end_as_they_should() {
    Task<Integer> task = Task.define("many", Integer.class)
        .handler((number, context) -> Future.all(IntStream.range(0, 5)
                .mapToObj(each -> context
                    .step("a" + each, Integer.class, () -> Future.succeededFuture(number + each))
                    .compose(sum -> context.step(
                        "b" + each, Integer.class, () -> Future.succeededFuture(sum * 2))))
                .toList())
            .map(all -> TaskResult.done(all.<Integer>list())));
    Runlane runlane = process(task);
    await(runlane.deploy(vertx, new RunlaneDeployment()));

    List<TriggerResult> runs = await(
        runlane.triggerAll(task, IntStream.range(0, 40).boxed().toList(), new TriggerOptions()));

    for (int number = 0; number < runs.size(); number++) {
      RunRecord run = ended(runlane, runs.get(number).run().id());
      List<Integer> expected = new ArrayList<>();
      for (int each = 0; each < 5; each++) {
        expected.add((number + each) * 2);
      }
      assertThat(run.output().text()).isEqualTo(expected.toString().replace(" ", ""));
    }
  }

  @Test
  void a_sleeping_blocking_handler_is_taken_off_its_thread() throws Exception {
    Step<String> charge = Step.of("charge", String.class);
    CountDownLatch unwound = new CountDownLatch(1);
    Set<String> threads = ConcurrentHashMap.newKeySet();
    Task<String> task = Task.define("blocking", String.class)
        .blockingHandler((payload, context) -> {
          String charged = context.callStep(charge, () -> {
            effects.add("charge");
            threads.add(String.valueOf(Thread.currentThread()));
            return "charged";
          });
          threads.add(String.valueOf(Thread.currentThread()));
          try {
            context.await(context.sleep(LONGER_THAN_A_STALL));
          } catch (Exception never) {
            effects.add("caught");
          } finally {
            unwound.countDown();
          }
          return TaskResult.done(charged);
        });
    Runlane runlane = process(task);
    await(runlane.deploy(vertx, new RunlaneDeployment()));
    String runId = await(runlane.trigger(task, "x")).run().id();

    assertThat(unwound.await(30, SECONDS)).isTrue();
    RunRecord run = ended(runlane, runId);

    assertThat(run.output().text()).isEqualTo("\"charged\"");
    assertThat(effects).containsExactly("charge");
    assertThat(run.counters().attempts()).isEqualTo(2);
    assertThat(run.counters().failures()).isZero();
    assertThat(threads).as("a step works on its handler's thread").hasSizeLessThanOrEqualTo(2);
  }

  @Test
  void a_blocking_step_throws_what_is_recorded() {
    Step<String> charge = Step.of("charge", String.class);
    Task<String> task = Task.define("blocking", String.class)
        .blockingHandler((payload, context) -> {
          try {
            return TaskResult.done(context.callStep(charge, () -> {
              throw RunlaneException.of(ErrorCode.TASK_FAILED, "declined");
            }));
          } catch (RunlaneException declined) {
            return TaskResult.done(declined.getMessage());
          }
        });
    Runlane runlane = process(task);
    await(runlane.deploy(vertx, new RunlaneDeployment()));
    String runId = await(runlane.trigger(task, "x")).run().id();

    assertThat(ended(runlane, runId).output().text()).isEqualTo("\"declined\"");
  }

  @Test
  void each_result_comes_in_a_turn_of_its_own() {
    Promise<List<String>> seen = Promise.promise();
    Task<String> task = Task.define("turns", String.class).handler((payload, context) -> {
      List<String> order = new ArrayList<>();
      List<Future<String>> steps = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        String name = "s" + i;
        steps.add(
            context.step(name, String.class, () -> Future.succeededFuture(name)).onSuccess(done -> {
              order.add(done);
              vertx.getOrCreateContext().runOnContext(later -> order.add("after " + done));
            }));
      }
      return Future.all(steps)
          .compose(all -> context.step("end", String.class, () -> effect("end")))
          .map(end -> {
            seen.complete(order);
            return TaskResult.done();
          });
    });
    Runlane runlane = process(task);
    await(runlane.deploy(vertx, new RunlaneDeployment()));
    String runId = await(runlane.trigger(task, "x")).run().id();

    assertThat(ended(runlane, runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(await(seen.future()))
        .containsExactly("s0", "after s0", "s1", "after s1", "s2", "after s2");
  }
}
