package dev.runlane.runtime;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.BlockedLoops;
import dev.runlane.lane.Lane;
import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.SignalReason;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.runtime.worker.Worker;
import dev.runlane.runtime.worker.WorkerHandle;
import dev.runlane.runtime.worker.WorkerMode;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.ForwardingStorageAdapter;
import dev.runlane.storage.memory.MemoryLane;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.transport.DeliverySource;
import dev.runlane.transport.ForwardingTransportAdapter;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The runtime on real event loops; a loop that is blocked fails the test. */
class VertxTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  private final BlockedLoops blocked = new BlockedLoops();
  private Vertx vertx;
  private Lane lane;

  @BeforeEach
  void start() {
    vertx = blocked.watched();
    lane = MemoryLane.create();
  }

  @AfterEach
  void stop() {
    await(vertx.close());
    blocked.assertNone();
  }

  private Runlane runlane(Task<?>... tasks) {
    return Runlane.builder(vertx, lane)
        .queue(TaskQueue.of("default").asDefault())
        .tasks(List.of(tasks))
        .build();
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(60, SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    }
  }

  private static RunRecord await(Runlane runlane, TriggerResult triggered) {
    return await(runlane.awaitRun(triggered.run().id(), SOON));
  }

  @Test
  void everything_is_deployed_and_undeployed_with_one_call() {
    Task<String> task = Task.define("hello", String.class)
        .handler((name, context) -> Future.succeededFuture(TaskResult.done("hello " + name)));
    Runlane runlane = runlane(task);

    DeployedRunlane deployed = await(runlane.deploy(vertx, new RunlaneDeployment()));
    RunRecord run = await(runlane, await(runlane.trigger(task, "ada")));

    assertThat(run.output().text()).isEqualTo("\"hello ada\"");
    await(deployed.undeploy());
    await(runlane.close());
    assertThat(vertx.deploymentIDs()).isEmpty();
  }

  @Test
  void a_runtime_keeps_nothing_of_what_is_undeployed() {
    Runlane runlane = runlane();
    RunlaneDeployment worker = new RunlaneDeployment().setRoles(Set.of(RunlaneRole.WORKER));
    DeployedRunlane first = await(runlane.deploy(vertx, worker));
    DeployedRunlane second = await(runlane.deploy(vertx, worker));

    await(first.undeploy());

    assertThat(deployments(runlane)).containsExactly(second);
    await(runlane.close());
  }

  @Test
  void a_runtime_keeps_nothing_of_what_is_undeployed_with_the_verticle_that_deployed_it() {
    Runlane runlane = runlane();
    for (int redeployment = 0; redeployment < 3; redeployment++) {
      String application = await(vertx.deployVerticle(new VerticleBase() {
        @Override
        public Future<?> start() {
          return runlane.deploy(vertx, new RunlaneDeployment());
        }
      }));
      assertThat(deployments(runlane)).hasSize(1);

      await(vertx.undeploy(application));

      assertThat(deployments(runlane)).isEmpty();
    }
    await(runlane.close());
  }

  @Test
  void a_runtime_is_closed_behind_the_verticle_that_made_it_and_did_not() {
    AtomicInteger closes = new AtomicInteger();
    List<Runlane> made = new ArrayList<>();
    for (boolean isOrderly : List.of(false, true)) {
      Lane memory = MemoryLane.create();
      Lane counted = Lanes.create(
          new ForwardingStorageAdapter(memory.storage()) {
            @Override
            public Future<Void> close() {
              closes.incrementAndGet();
              return super.close();
            }
          },
          memory.transport());
      String application = await(vertx.deployVerticle(new VerticleBase() {
        @Override
        public Future<?> start() {
          made.add(Runlane.builder(vertx, counted)
              .queue(TaskQueue.of("default").asDefault())
              .build());
          return last().deploy(vertx, new RunlaneDeployment());
        }

        @Override
        public Future<?> stop() {
          return isOrderly ? last().close() : Future.succeededFuture();
        }

        private Runlane last() {
          return made.get(made.size() - 1);
        }
      }));
      assertThat(closes).hasValue(made.size() - 1);

      await(vertx.undeploy(application));

      assertThat(closes).as("once each").hasValue(made.size());
      assertThat(vertx.deploymentIDs()).isEmpty();
    }
  }

  private static List<DeployedRunlane> deployments(Runlane runlane) {
    return await(
        runlane.context().host().call(() -> Future.succeededFuture(runlane.deployments())));
  }

  @Test
  void closing_a_runtime_undeploys_what_it_deployed() {
    Runlane runlane = runlane();
    await(runlane.deploy(vertx, new RunlaneDeployment()));
    await(runlane.deploy(vertx, new RunlaneDeployment().setRoles(Set.of(RunlaneRole.WORKER))));
    assertThat(vertx.deploymentIDs()).isNotEmpty();

    await(runlane.close());

    assertThat(vertx.deploymentIDs()).isEmpty();
  }

  @Test
  void handlers_of_several_instances_run_on_their_own_event_loops_and_answers_come_to_the_caller() {
    Set<Context> handlers = ConcurrentHashMap.newKeySet();
    Promise<Void> all = Promise.promise(); // until then the slots of a worker fill up
    Task<Integer> task = Task.define("where", Integer.class).handler((number, context) -> {
      handlers.add(ContextInternal.current().unwrap());
      if (handlers.size() == 3) {
        all.tryComplete();
      }
      return all.future().map(TaskResult.done());
    });
    Runlane runlane = runlane(task);
    await(runlane.deploy(
        vertx,
        new RunlaneDeployment()
            .setWorkerInstances(3)
            .setWorker(new WorkerOptions().setConcurrency(2))));
    Promise<Boolean> sameContext = Promise.promise();

    await(vertx.deployVerticle(new VerticleBase() {
      @Override
      public Future<?> start() {
        return runlane
            .triggerAll(task, IntStream.range(0, 50).boxed().toList(), new TriggerOptions())
            .compose(triggered -> Future.all(triggered.stream()
                .map(each -> runlane.awaitRun(each.run().id(), SOON))
                .toList()))
            .onComplete(done ->
                sameContext.complete(done.succeeded() && Vertx.currentContext() == context));
      }
    }));

    assertThat(await(sameContext.future())).isTrue();
    assertThat(handlers).hasSize(3);
    await(runlane.close());
  }

  @Test
  void what_a_handler_keeps_in_its_context_is_not_found_by_another_one() {
    Set<String> foreign = ConcurrentHashMap.newKeySet();
    Task<Integer> task = Task.define("local", Integer.class).handler((number, context) -> {
      Map<Object, Object> local = local();
      if (local.putIfAbsent("session", number) != null) {
        foreign.add(number + " found " + local.get("session"));
      }
      return vertx
          .timer(2)
          .compose(later -> context.step(
              "look",
              Integer.class,
              () -> Future.succeededFuture((Integer) local().get("session"))))
          .map(found -> TaskResult.done(found.equals(number)));
    });
    Runlane runlane = runlane(task);
    await(runlane.start());
    await(runlane.worker(new WorkerOptions().setConcurrency(8)));

    List<TriggerResult> triggered = await(
        runlane.triggerAll(task, IntStream.range(0, 20).boxed().toList(), new TriggerOptions()));

    for (TriggerResult each : triggered) {
      assertThat(await(runlane, each).output().text()).isEqualTo("true");
    }
    assertThat(foreign).isEmpty();
    await(runlane.close());
  }

  /** What is local to the context of the caller. */
  private static Map<Object, Object> local() {
    return ContextInternal.current().getLocal(ContextInternal.LOCAL_MAP, ConcurrentHashMap::new);
  }

  @Test
  void a_blocking_handler_blocks_no_event_loop() {
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger together = new AtomicInteger();
    Task<Integer> task = Task.define("blocking", Integer.class)
        .blockingHandler((number, context) -> {
          assertThat(Context.isOnEventLoopThread()).isFalse();
          if (together.incrementAndGet() == 20) {
            release.countDown(); // all of them run at the same time, each on a thread of its own
          }
          assertThat(release.await(50, TimeUnit.SECONDS)).isTrue();
          return TaskResult.done(number);
        });
    Runlane runlane = runlane(task);
    await(runlane.deploy(
        vertx, new RunlaneDeployment().setWorker(new WorkerOptions().setConcurrency(20))));

    List<TriggerResult> triggered = await(
        runlane.triggerAll(task, IntStream.range(0, 20).boxed().toList(), new TriggerOptions()));

    for (TriggerResult each : triggered) {
      assertThat(await(runlane, each).status()).isEqualTo(RunStatus.SUCCEEDED);
    }
    await(runlane.close());
  }

  @Test
  void a_handler_that_is_interrupted_while_it_waits_is_tried_again() {
    Task<String> task = Task.define("interrupted", String.class)
        .retry(RetryPolicy.attempts(2).fixedDelay(Duration.ofMillis(1)))
        .blockingHandler((payload, context) -> {
          if (context.attempt() == 1) {
            Thread.currentThread().interrupt();
            context.await(Promise.promise().future());
          }
          return TaskResult.done(Thread.interrupted());
        });
    Runlane runlane = runlane(task);
    await(runlane.deploy(vertx, new RunlaneDeployment()));

    RunRecord run = await(runlane, await(runlane.trigger(task, "x")));

    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run.output().text()).as("the next handler is not interrupted").isEqualTo("false");
    await(runlane.close());
  }

  @Test
  void a_backlog_of_thousands_is_drained_without_blocking_anything() {
    Task<Integer> task = Task.define("noop", Integer.class)
        .handler((number, context) -> Future.succeededFuture(TaskResult.done()));
    Runlane runlane = runlane(task);
    await(runlane.start());
    for (int batch = 0; batch < 4; batch++) {
      await(runlane.triggerAll(
          task, IntStream.range(0, 1_000).boxed().toList(), new TriggerOptions()));
    }

    WorkerHandle worker =
        await(runlane.worker(new WorkerOptions().setMode(WorkerMode.DRAIN).setConcurrency(64)));
    await(worker.closed());

    assertThat(await(runlane.runs().list(RunFilter.ALL.withStatuses(Set.of(RunStatus.QUEUED))))
            .data())
        .isEmpty();
    await(runlane.close());
  }

  @Test
  void closing_the_runtime_stops_what_it_still_runs() {
    List<SignalReason> reasons = new ArrayList<>();
    Promise<Void> started = Promise.promise();
    Task<String> task = Task.define("long", String.class).handler((payload, context) -> {
      context.signal().onSuccess(reasons::add);
      started.tryComplete();
      return context.untilSignalled(Promise.<TaskResult>promise().future());
    });
    Runlane runlane = runlane(task);
    await(runlane.deploy(vertx, new RunlaneDeployment()));
    TriggerResult triggered = await(runlane.trigger(task, "x"));
    await(started.future());

    await(runlane.close());

    assertThat(reasons).containsExactly(SignalReason.WORKER_STOPPING);
    Runlane again = runlane();
    await(again.start());
    RunRecord run = await(again.runs().get(triggered.run().id())).orElseThrow();
    assertThat(run.status()).isEqualTo(RunStatus.QUEUED);
    assertThat(run.counters().releases()).isEqualTo(1);
    await(again.close());
  }

  @Test
  void a_deployment_that_is_ready_only_once_the_runtime_is_closed_fails_and_leaves_nothing() {
    Promise<Void> ready = Promise.promise();
    Promise<Void> starting = Promise.promise();
    Lane slow = Lanes.create(lane.storage(), new ForwardingTransportAdapter(lane.transport()) {
      @Override
      public Optional<DeliverySource> deliveries() {
        return Optional.of(worker -> new VerticleBase() {
          @Override
          public Future<?> start() {
            starting.complete();
            return ready.future();
          }

          @Override
          public Future<?> stop() {
            return worker.stop();
          }
        });
      }
    });
    Runlane runlane =
        Runlane.builder(vertx, slow).queue(TaskQueue.of("default").asDefault()).build();
    Future<DeployedRunlane> deployed = runlane.deploy(vertx, new RunlaneDeployment());
    await(starting.future());

    await(runlane.close());
    ready.complete();

    await(deployed.otherwiseEmpty());
    Fleet.assertFails(ErrorCode.OPERATION_CANCELLED, deployed);
    assertThat(vertx.deploymentIDs()).isEmpty();
  }

  @Test
  void a_worker_that_nobody_stopped_before_the_close_stops_after_it() {
    Runlane runlane = runlane();
    await(runlane.start());
    Worker worker = runlane.engine().worker(new WorkerOptions(), Runnable::run);

    await(runlane.close());

    await(worker.stop());
  }

  @Test
  void undeploying_the_application_that_made_it_stops_a_runtime_in_order() {
    Promise<Void> started = Promise.promise();
    Task<String> task = Task.define("long", String.class).handler((payload, context) -> {
      started.tryComplete();
      return context.untilSignalled(Promise.<TaskResult>promise().future());
    });

    RunRecord yielded = undeployedAtWork(task, started.future(), new WorkerOptions());

    assertThat(yielded.status()).isEqualTo(RunStatus.QUEUED);
  }

  @Test
  void undeploying_the_application_waits_for_no_handler_longer_than_its_worker_says() {
    Promise<Void> started = Promise.promise();
    Task<String> deaf = Task.define("deaf", String.class).handler((payload, context) -> {
      started.tryComplete();
      return Promise.<TaskResult>promise().future();
    });
    WorkerOptions brief = new WorkerOptions().setDrainTimeout(Duration.ofMillis(200));

    RunRecord ignored = undeployedAtWork(deaf, started.future(), brief);

    assertThat(ignored.status()).isEqualTo(RunStatus.RUNNING);
  }

  /** A run whose handler had begun when the application was undeployed, as a later runtime finds it. */
  private RunRecord undeployedAtWork(
      Task<String> task, Future<Void> started, WorkerOptions options) {
    Runlane runlane = runlane(task);
    String application = await(vertx.deployVerticle(new VerticleBase() {
      @Override
      public Future<?> start() {
        return runlane.deploy(vertx, new RunlaneDeployment().setWorker(options));
      }

      @Override
      public Future<?> stop() {
        return runlane.close();
      }
    }));
    TriggerResult triggered = await(runlane.trigger(task, "x"));
    await(started);

    await(vertx.undeploy(application));

    Runlane again = runlane();
    await(again.start());
    RunRecord run = await(again.runs().get(triggered.run().id())).orElseThrow();
    await(again.close());
    return run;
  }

  @Test
  void closing_vertx_alone_waits_for_no_handler_longer_than_closing_the_runtime_would() {
    Promise<Void> started = Promise.promise();
    Task<String> deaf = Task.define("deaf", String.class).handler((payload, context) -> {
      started.tryComplete();
      return Promise.<TaskResult>promise().future();
    });
    Runlane runlane = Runlane.builder(vertx, lane)
        .options(new RunlaneOptions().setCloseTimeout(Duration.ofMillis(500)))
        .queue(TaskQueue.of("default").asDefault())
        .task(deaf)
        .build();
    WorkerOptions patient = new WorkerOptions().setDrainTimeout(Duration.ofHours(1));
    await(runlane.deploy(vertx, new RunlaneDeployment().setWorker(patient)));
    await(runlane.trigger(deaf, "x"));
    await(started.future());

    await(vertx.close());

    assertThat(vertx.deploymentIDs()).isEmpty();
  }

  @Test
  void a_runtime_that_is_not_started_refuses_in_the_future() {
    Runlane runlane = runlane();

    Future<WorkerHandle> worker = runlane.worker(new WorkerOptions());

    Fleet.assertFails(ErrorCode.OPERATION_CANCELLED, worker);
  }

  @Test
  void a_role_that_cannot_start_takes_the_others_down_again() {
    Runlane runlane = runlane();
    RunlaneDeployment unknownQueue =
        new RunlaneDeployment().setWorker(new WorkerOptions().setQueues(List.of("unknown")));

    Future<DeployedRunlane> deployed = runlane.deploy(vertx, unknownQueue);

    boolean refused = await(deployed.transform(done -> Future.succeededFuture(done.failed())));
    assertThat(refused).isTrue();
    await(runlane.close());
    assertThat(vertx.deploymentIDs()).isEmpty();
  }

  @Test
  void a_worker_goes_on_when_the_worker_pool_of_the_verticle_that_began_it_is_gone() {
    Set<Boolean> mayBlock = ConcurrentHashMap.newKeySet();
    Task<String> task = Task.define("task", String.class).handler((payload, context) -> {
      mayBlock.add(Context.isOnWorkerThread());
      return Future.succeededFuture(TaskResult.done());
    });
    Runlane runlane = runlane(task);
    await(runlane.start());
    await(vertx.undeploy(verticleWithAWorker(runlane)));

    List<TriggerResult> triggered =
        await(runlane.triggerAll(task, List.of("a", "b", "c", "d"), new TriggerOptions()));

    assertThat(triggered).allSatisfy(each -> assertThat(await(runlane, each).status())
        .isEqualTo(RunStatus.SUCCEEDED));
    assertThat(mayBlock).containsExactly(true);
    await(runlane.close());
  }

  @Test
  void
      a_blocking_handler_ends_its_run_though_the_worker_pool_of_the_verticle_that_began_its_worker_is_gone() {
    CountDownLatch release = new CountDownLatch(1);
    Promise<Void> started = Promise.promise();
    Task<String> task = Task.define("blocking", String.class)
        .blockingHandler((payload, context) -> {
          started.complete();
          assertThat(release.await(50, TimeUnit.SECONDS)).isTrue();
          return TaskResult.done(payload);
        });
    Runlane runlane = runlane(task);
    await(runlane.start());
    String verticle = verticleWithAWorker(runlane);
    TriggerResult triggered = await(runlane.trigger(task, "x"));
    await(started.future());
    await(vertx.undeploy(verticle));

    release.countDown();

    assertThat(await(runlane, triggered).status()).isEqualTo(RunStatus.SUCCEEDED);
    await(runlane.close());
  }

  /** A verticle with a worker pool of its own that has begun a worker of the runtime. */
  private String verticleWithAWorker(Runlane runlane) {
    return await(vertx.deployVerticle(
        new VerticleBase() {
          @Override
          public Future<?> start() {
            return runlane.worker(new WorkerOptions().setConcurrency(2));
          }
        },
        new DeploymentOptions()
            .setThreadingModel(ThreadingModel.WORKER)
            .setWorkerPoolName("its own")));
  }

  @Test
  void who_undeploys_while_that_is_under_way_waits_for_its_end() {
    Promise<Void> started = Promise.promise();
    Promise<TaskResult> work = Promise.promise();
    Task<String> slow = Task.define("slow", String.class).handler((payload, context) -> {
      started.tryComplete();
      return work.future();
    });
    Runlane runlane = runlane(slow);
    DeployedRunlane deployed =
        await(runlane.deploy(vertx, new RunlaneDeployment().setRoles(Set.of(RunlaneRole.WORKER))));
    await(runlane.trigger(slow, "x"));
    await(started.future());

    Future<Void> first = deployed.undeploy();
    Future<Void> second = deployed.undeploy();
    assertThat(second.isComplete()).as("a handler is at work").isFalse();
    work.complete(TaskResult.done());

    await(second);
    assertThat(vertx.deploymentIDs()).isEmpty();
    await(first);
    await(deployed.undeploy());
    await(runlane.close());
  }

  @Test
  void calls_of_a_runtime_whose_vertx_is_closed_fail_in_their_futures() {
    Task<String> task = Task.define("task", String.class)
        .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));
    Runlane runlane = runlane(task);
    await(runlane.start());
    String runId = await(runlane.trigger(task, "x")).run().id();

    await(vertx.close());

    Fleet.assertFails(ErrorCode.OPERATION_CANCELLED, runlane.runNow(task, "y"));
    Fleet.assertFails(ErrorCode.OPERATION_CANCELLED, runlane.awaitRun(runId, SOON));
    Fleet.assertFails(ErrorCode.OPERATION_CANCELLED, runlane.executeNext());
    Fleet.assertFails(ErrorCode.OPERATION_CANCELLED, runlane.close());
  }

  @Test
  void the_lane_of_a_runtime_whose_vertx_is_closed_is_closed_all_the_same() {
    AtomicInteger closes = new AtomicInteger();
    lane = Lanes.create(
        new ForwardingStorageAdapter(lane.storage()) {
          @Override
          public Future<Void> close() {
            closes.incrementAndGet();
            return Future.failedFuture(new IllegalStateException("its loop is gone"));
          }
        },
        lane.transport());
    Runlane runlane = runlane();
    await(runlane.start());
    await(vertx.close());

    Fleet.assertFails(ErrorCode.OPERATION_CANCELLED, runlane.close());

    assertThat(closes).hasValue(1);
  }
}
