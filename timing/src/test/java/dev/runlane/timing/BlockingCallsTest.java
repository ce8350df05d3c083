package dev.runlane.timing;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BlockingCallsTest {
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    vertx.close().await(30, SECONDS);
  }

  @Test
  void work_blocks_no_event_loop_and_answers_on_the_callers_context() throws Exception {
    BlockingCalls calls = BlockingCalls.of(vertx, 4);
    CountDownLatch released = new CountDownLatch(1);
    Promise<Boolean> sameContext = Promise.promise();

    Context context = vertx.getOrCreateContext();
    context.runOnContext(start -> {
      calls
          .run(() -> {
            released.await();
            return Context.isOnEventLoopThread();
          })
          .onSuccess(onLoop -> sameContext.complete(!onLoop && Vertx.currentContext() == context));
      context.runOnContext(later -> released.countDown()); // so the loop is free meanwhile
    });

    assertThat(sameContext.future().await(30, SECONDS)).isTrue();
    calls.close().await(30, SECONDS);
  }

  @Test
  void work_is_done_after_the_verticle_that_made_them_is_undeployed() throws Exception {
    BlockingCalls[] made = new BlockingCalls[1];
    String verticle = vertx
        .deployVerticle(new VerticleBase() {
          @Override
          public Future<?> start() {
            made[0] = BlockingCalls.of(vertx, 1);
            return Future.succeededFuture();
          }
        })
        .await(30, SECONDS);
    vertx.undeploy(verticle).await(30, SECONDS);

    assertThat(made[0].run(() -> "done").await(30, SECONDS)).isEqualTo("done");
    made[0].close().await(30, SECONDS);
  }

  @Test
  void work_answers_though_the_worker_pool_of_the_verticle_that_called_is_gone_meanwhile()
      throws Exception {
    BlockingCalls calls = BlockingCalls.of(vertx, 1);
    CountDownLatch released = new CountDownLatch(1);
    Promise<Boolean> mayBlock = Promise.promise();
    String verticle = vertx
        .deployVerticle(
            context -> {
              calls
                  .run(() -> released.await(30, SECONDS))
                  .onSuccess(ended -> mayBlock.complete(ended && Context.isOnWorkerThread()));
              return Future.succeededFuture();
            },
            new DeploymentOptions()
                .setThreadingModel(ThreadingModel.WORKER)
                .setWorkerPoolName("its own"))
        .await(30, SECONDS);
    vertx.undeploy(verticle).await(30, SECONDS);

    released.countDown();

    assertThat(mayBlock.future().await(30, SECONDS)).isTrue();
    calls.close().await(30, SECONDS);
  }

  @Test
  void work_of_another_name_does_not_wait_for_threads_that_never_return() throws Exception {
    BlockingCalls calls = BlockingCalls.of(vertx, 1);
    BlockingCalls others = BlockingCalls.of(vertx, "others", 1);
    CountDownLatch released = new CountDownLatch(1);
    Future<Boolean> blocked = others.run(() -> released.await(30, SECONDS));

    assertThat(calls.run(() -> "done").await(30, SECONDS)).isEqualTo("done");

    released.countDown();
    assertThat(blocked.await(30, SECONDS)).isTrue();
    calls.close().await(30, SECONDS);
    others.close().await(30, SECONDS);
  }

  @Test
  void what_work_throws_fails_the_future() {
    IllegalStateException thrown = new IllegalStateException("no");

    Future<Object> failed = BlockingCalls.onCallersThread().run(() -> {
      throw thrown;
    });

    assertThat(failed.cause()).isSameAs(thrown);
  }

  @Test
  void work_on_the_callers_thread_is_done_when_the_call_returns() {
    Thread caller = Thread.currentThread();

    Future<Boolean> same =
        BlockingCalls.onCallersThread().run(() -> Thread.currentThread() == caller);

    assertThat(same.result()).isTrue();
  }
}
