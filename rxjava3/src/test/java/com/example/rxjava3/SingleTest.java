package com.example.rxjava3;

import static dev.runlane.rxjava3.RunlaneRx.completable;
import static dev.runlane.rxjava3.RunlaneRx.future;
import static dev.runlane.rxjava3.RunlaneRx.maybe;
import static dev.runlane.rxjava3.RunlaneRx.single;
import static dev.runlane.testing.RunlaneAssertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.example.rxjava3.Orders.Order;
import com.example.rxjava3.Orders.Receipt;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.rxjava3.RunlaneRx;
import dev.runlane.testing.RunlaneTesting;
import dev.runlane.testing.TestRun;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** The guide's task, in virtual time, and what the two kinds of futures make of each other. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class SingleTest {
  private static final ExecutorService OTHER = Executors.newSingleThreadExecutor();

  private final AtomicInteger cancelled = new AtomicInteger();

  @AfterAll
  static void close() {
    OTHER.shutdown();
  }

  @Test
  void an_order_is_paid_at_the_third_try() {
    AtomicInteger tries = new AtomicInteger();
    Orders orders = new Orders(order -> Single.fromCallable(() -> {
      if (tries.incrementAndGet() < 3) {
        throw new IllegalStateException("the provider is away");
      }
      return new Receipt("r-" + order.id());
    }));
    RunlaneTesting runlane = RunlaneTesting.create().deploy(orders.charge());

    TestRun run = runlane.trigger(orders.charge(), new Order("o-1", 500));
    runlane.runUntilIdle();

    assertThat(run).succeeded().afterAttempts(3);
  }

  @Test
  void a_handler_that_answers_null_fails_its_attempt() {
    Task<Order> broken = RunlaneRx.task(
        Task.define("orders.broken", Order.class).description(), (order, context) -> null);
    RunlaneTesting runlane = RunlaneTesting.create().deploy(broken);

    TestRun run = runlane.trigger(broken, new Order("o-2", 500));
    runlane.runUntilIdle();

    assertThat(run).failed();
  }

  private Single<TaskResult> endless() {
    return Single.<TaskResult>never().doOnDispose(cancelled::incrementAndGet);
  }

  @Test
  void a_subscription_ends_when_its_attempt_is_asked_to_give_up() {
    Task<Order> endless = RunlaneRx.task(
        Task.define("orders.endless", Order.class).description(), (order, context) -> endless());
    RunlaneTesting runlane = RunlaneTesting.create().deploy(endless);
    TestRun run = runlane.trigger(endless, new Order("o-3", 500));
    runlane.runDue();

    run.cancel("not wanted any more");
    runlane.runUntilIdle();

    assertThat(run).cancelled();
    assertThat(cancelled).hasValue(1);
  }

  @Test
  void a_subscription_ends_when_its_attempt_is_given_up_for_a_sleep_beside_it() {
    Task<Order> beside = RunlaneRx.task(
        Task.define("orders.beside", Order.class).description(),
        (order, context) -> completable(() -> context.sleep(Duration.ofDays(1)))
            .toSingleDefault(TaskResult.done())
            .zipWith(endless(), (slept, done) -> done));
    RunlaneTesting runlane = RunlaneTesting.create().deploy(beside);
    TestRun run = runlane.trigger(beside, new Order("o-5", 500));

    runlane.advance(Duration.ofHours(1));

    assertThat(run).isWaiting();
    assertThat(cancelled).hasValue(1);
  }

  @Test
  void a_subscription_ends_when_its_run_is_cancelled_while_the_worker_stops() {
    Task<Order> endless = RunlaneRx.task(
        Task.define("orders.endless", Order.class).description(), (order, context) -> endless());
    RunlaneTesting testing = RunlaneTesting.create().deploy(endless);
    TestRun run = testing.trigger(endless, new Order("o-6", 500));
    testing.runDue();
    Runlane stopping = testing.runlane();
    testing.timers().after(Duration.ofSeconds(1)).compose(meanwhile -> stopping
        .runs()
        .cancel(run.id(), new RunActionOptions().setReason("no")));

    testing.stop();

    assertThat(run).cancelled();
    assertThat(cancelled).hasValue(1);
  }

  @Test
  void a_subscription_ends_with_the_grace_of_an_attempt_that_has_timed_out() {
    Task<Order> slow = RunlaneRx.task(
        Task.define("orders.slow", Order.class)
            .attemptTimeout(Duration.ofMinutes(1))
            .description(),
        (order, context) -> endless());
    RunlaneTesting runlane = RunlaneTesting.create().deploy(slow);
    TestRun run = runlane.trigger(slow, new Order("o-7", 500));
    runlane.advance(Duration.ofMinutes(1));
    assertThat(cancelled).hasValue(0);

    runlane.runUntilIdle();

    assertThat(run).failed();
    assertThat(cancelled).hasValue(1);
  }

  @Test
  void a_worker_that_stops_lets_a_subscription_go_on() {
    RunlaneTesting runlane = RunlaneTesting.create();
    Task<Order> task = RunlaneRx.task(
        Task.define("orders.slow", Order.class).description(),
        (order, context) ->
            single(() -> runlane.timers().after(Duration.ofSeconds(2)).map(TaskResult.done())));
    runlane.deploy(task);
    TestRun run = runlane.trigger(task, new Order("o-4", 500));
    runlane.runDue();

    runlane.deploy(task).runUntilIdle();

    assertThat(run).succeeded().afterAttempts(1);
  }

  @Test
  void a_call_is_made_for_each_subscription_and_its_failure_is_the_subscriber_s() {
    AtomicInteger calls = new AtomicInteger();
    Single<Integer> single = single(() -> Future.succeededFuture(calls.incrementAndGet()));

    assertThat(calls).hasValue(0);
    assertThat(single.blockingGet()).isEqualTo(1);
    assertThat(single.blockingGet()).isEqualTo(2);
    assertThat(catchThrowable(() ->
            single(() -> Future.failedFuture(new IllegalStateException("no"))).blockingGet()))
        .hasMessage("no");
    assertThat(maybe(() -> Future.succeededFuture(Optional.empty())).blockingGet())
        .isNull();
    assertThat(catchThrowable(
            () -> completable(() -> Future.failedFuture(new IllegalStateException("no")))
                .blockingAwait()))
        .hasMessage("no");
    completable(Future::succeededFuture).blockingAwait();
    assertThat(future(completable(Future::succeededFuture)).succeeded()).isTrue();
  }

  @Test
  void what_arrives_on_another_thread_completes_on_the_caller_s_context() throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      CompletableFuture<Boolean> same = new CompletableFuture<>();
      vertx.runOnContext(turn -> {
        Context context = Vertx.currentContext();
        future(Single.just(7).observeOn(Schedulers.from(OTHER)))
            .onComplete(done -> same.complete(Vertx.currentContext() == context));
      });

      assertThat(same.get(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      vertx.close().await(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void what_arrives_once_the_worker_pool_of_the_caller_is_gone_completes_all_the_same()
      throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      CompletableFuture<Integer> source = new CompletableFuture<>();
      CompletableFuture<Future<Integer>> asked = new CompletableFuture<>();
      String verticle = vertx
          .deployVerticle(
              () -> new VerticleBase() {
                @Override
                public Future<?> start() {
                  asked.complete(future(Single.fromCompletionStage(source)));
                  return Future.succeededFuture();
                }
              },
              new DeploymentOptions()
                  .setThreadingModel(ThreadingModel.WORKER)
                  .setWorkerPoolName("of-the-caller"))
          .await(60, TimeUnit.SECONDS);
      vertx.undeploy(verticle).await(60, TimeUnit.SECONDS);

      source.complete(7);

      assertThat(asked.get(60, TimeUnit.SECONDS).await(60, TimeUnit.SECONDS)).isEqualTo(7);
    } finally {
      vertx.close().await(60, TimeUnit.SECONDS);
    }
  }
}
