package dev.runlane.timing;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ContextTurnsTest {
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    vertx.close().await(30, SECONDS);
  }

  @Test
  void all_turns_of_a_context_whose_worker_pool_is_gone_are_taken_by_the_same_one_instead()
      throws Exception {
    AtomicReference<Context> own = new AtomicReference<>();
    String verticle = vertx
        .deployVerticle(
            context -> {
              own.set(Vertx.currentContext());
              return Future.succeededFuture();
            },
            new DeploymentOptions()
                .setThreadingModel(ThreadingModel.WORKER)
                .setWorkerPoolName("its own"))
        .await(30, SECONDS);
    vertx.undeploy(verticle).await(30, SECONDS);

    Context first = takenBy(own.get());
    Context second = takenBy(own.get());

    assertThat(first).isNotSameAs(own.get()).isSameAs(second);
    assertThat(first.isWorkerContext()).isTrue();
    assertThatThrownBy(() -> ContextTurns.of(own.get()).execute(() -> {}))
        .isInstanceOf(RejectedExecutionException.class);
  }

  private static Context takenBy(Context own) throws Exception {
    Promise<Context> taken = Promise.promise();
    ContextTurns.lasting(own).execute(() -> taken.complete(Vertx.currentContext()));
    return taken.future().await(30, SECONDS);
  }
}
