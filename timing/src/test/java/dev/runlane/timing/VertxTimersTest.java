package dev.runlane.timing;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class VertxTimersTest {
  private final Vertx vertx = Vertx.vertx();
  private final Timers timers = Timers.of(vertx);

  @AfterEach
  void close() throws Exception {
    vertx.close().await(30, SECONDS);
  }

  @Test
  void an_action_runs_on_the_context_it_was_scheduled_on_and_never_early() throws Exception {
    Context context = vertx.getOrCreateContext();
    Promise<Context> ranOn = Promise.promise();
    Duration before = timers.elapsed();

    context.runOnContext(v -> timers.schedule(
        Duration.ofNanos(20_000_001), () -> ranOn.complete(Vertx.currentContext())));

    assertThat(ranOn.future().await(30, SECONDS)).isSameAs(context);
    assertThat(timers.elapsed().minus(before)).isGreaterThanOrEqualTo(Duration.ofNanos(20_000_001));
  }

  @Test
  void a_bound_ends_on_the_context_it_was_set_on_whatever_is_awaited() throws Exception {
    Context context = vertx.getOrCreateContext();
    Promise<Context> endedOn = Promise.promise();

    context.runOnContext(v -> timers
        .within(Duration.ofMillis(1), Promise.promise().future(), TimeoutException::new)
        .onFailure(late -> endedOn.complete(Vertx.currentContext())));

    assertThat(endedOn.future().await(30, SECONDS)).isSameAs(context);
  }

  @Test
  void an_action_of_a_verticle_runs_on_its_context_though_it_is_undeployed_unless_it_is_cancelled()
      throws Exception {
    Promise<Context> ranOn = Promise.promise();
    AtomicReference<Context> own = new AtomicReference<>();
    List<String> log = new CopyOnWriteArrayList<>();
    String verticle = vertx
        .deployVerticle(context -> {
          own.set(Vertx.currentContext());
          timers.schedule(Duration.ofMillis(1), () -> log.add("cancelled")).cancel();
          timers.schedule(Duration.ofMillis(200), () -> ranOn.complete(Vertx.currentContext()));
          return Future.succeededFuture();
        })
        .await(30, SECONDS);

    vertx.undeploy(verticle).await(30, SECONDS);

    assertThat(ranOn.future().await(30, SECONDS)).isSameAs(own.get());
    assertThat(log).isEmpty();
  }

  @Test
  void an_action_of_a_verticle_whose_worker_pool_is_gone_runs_on_an_event_loop() throws Exception {
    Promise<Void> ran = Promise.promise();
    String verticle = vertx
        .deployVerticle(
            context -> {
              timers.schedule(Duration.ofMillis(200), ran::complete);
              return Future.succeededFuture();
            },
            new DeploymentOptions()
                .setThreadingModel(ThreadingModel.WORKER)
                .setWorkerPoolName("its own"))
        .await(30, SECONDS);

    vertx.undeploy(verticle).await(30, SECONDS);

    ran.future().await(30, SECONDS);
  }

  @Test
  void what_comes_within_its_bound_stays_as_it_is() throws Exception {
    Promise<String> soon = Promise.promise();
    Promise<String> broken = Promise.promise();
    Future<String> first =
        timers.within(Duration.ofDays(1), soon.future(), IllegalStateException::new);
    Future<String> second =
        timers.within(Duration.ofDays(1), broken.future(), IllegalStateException::new);

    soon.complete("in time");
    broken.fail("broken");

    assertThat(first.result()).isEqualTo("in time");
    assertThat(second.cause()).hasMessage("broken");
  }

  @Test
  void zero_and_negative_delays_run_in_a_later_turn() throws Exception {
    Promise<List<String>> done = Promise.promise();
    List<String> log = new ArrayList<>();

    vertx.runOnContext(v -> {
      timers.schedule(Duration.ZERO, () -> log.add("zero"));
      timers.schedule(Duration.ofSeconds(-5), () -> log.add("negative"));
      timers.schedule(Duration.ofMillis(20), () -> done.complete(log));
      log.add("this turn");
    });

    assertThat(done.future().await(30, SECONDS))
        .startsWith("this turn")
        .contains("zero", "negative");
  }

  @Test
  void an_action_cancelled_on_its_context_never_runs() throws Exception {
    Promise<List<String>> done = Promise.promise();
    List<String> log = new ArrayList<>();

    vertx.runOnContext(v -> {
      Timers.Timer cancelled = timers.schedule(Duration.ZERO, () -> log.add("cancelled"));
      Timers.Timer far = timers.schedule(Duration.ofSeconds(Long.MAX_VALUE), () -> log.add("far"));
      cancelled.cancel();
      cancelled.cancel();
      timers.schedule(Duration.ofMillis(20), () -> {
        far.cancel();
        done.complete(log);
      });
    });

    assertThat(done.future().await(30, SECONDS)).isEmpty();
  }
}
