package dev.runlane.connector.schedule;

import static dev.runlane.connector.store.StoreCase.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.store.StoreCase;
import dev.runlane.connector.store.history.RecordedRun;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.schedule.PutSchedule;
import dev.runlane.connector.store.timeline.ReadTimeline;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.testinfra.process.Poll;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/**
 * The scheduler on a context of its own, as its verticle runs it, with connectors that are slow to say they are ready.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ConnectorSchedulerVerticleTest {
  private static final ConnectorRef ATTIC = ConnectorRef.of("attic");
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final ScheduleScene scene = new ScheduleScene();
  private final Context context = scene.postgres.vertx().getOrCreateContext();
  private final Promise<Optional<String>> shelfReady = Promise.promise();

  @AfterEach
  void close() {
    scene.close();
  }

  private <T> T onContext(Supplier<Future<T>> work) {
    Promise<T> over = Promise.promise();
    context.runOnContext(turn -> work.get().onComplete(over));
    return done(over.future());
  }

  private void sweep() {
    while (onContext(scene.scheduler::sweepOnce)) {}
  }

  /** Lets time pass for timers on the scheduler's context. */
  private void pass(Duration time) {
    onContext(() -> {
      scene.timers.advance(time);
      return Future.succeededFuture();
    });
  }

  private void slowShelfAndQuickAttic() {
    scene.readiness = connector ->
        connector.equals(ATTIC) ? Future.succeededFuture(Optional.empty()) : shelfReady.future();
    scene.every(MINUTE);
    done(scene
        .store
        .schedules()
        .put(new PutSchedule(ATTIC, MINUTE, Duration.ZERO, true, null, scene.clock.now())));
  }

  private void tellThatTheShelfIsReady() {
    scene.answered.clear();
    onContext(() -> {
      shelfReady.complete(Optional.empty());
      return Future.succeededFuture();
    });
    scene.awaitAnswer("start");
  }

  private boolean isAtticRunning() {
    return done(scene.store.activeRuns().findByInstance("attic")).isPresent();
  }

  @Test
  void a_connector_that_is_slow_to_say_it_is_ready_holds_up_no_other() {
    slowShelfAndQuickAttic();

    sweep();

    assertThat(isAtticRunning()).isTrue();
    assertThat(scene.isRunning()).isFalse();
    tellThatTheShelfIsReady();
    assertThat(scene.isRunning()).isTrue();
    pass(MINUTE);
    assertThat(scene.timers.pending()).as("timers of what waits no more").isZero();
  }

  @Test
  void as_many_schedules_wait_for_their_connectors_as_the_options_say_and_then_none_is_taken() {
    slowShelfAndQuickAttic();
    scene.scheduler =
        scene.scheduler(scene.store, new SchedulerOptions().setMaxWaiting(1).setBatchSize(1));
    scene.clock.advance(Duration.ofSeconds(1));
    done(scene.store.schedules().resume("attic", scene.clock.now()));

    sweep();

    assertThat(isAtticRunning()).isFalse();
    tellThatTheShelfIsReady();
    sweep();
    assertThat(isAtticRunning()).isTrue();
  }

  @Test
  void scheduler_dispatch_wedged_is_a_run_that_failed_without_a_launch_and_its_handle_resolves() {
    slowShelfAndQuickAttic();
    sweep();
    Instant due = scene.clock.now();
    scene.renewalsToFail = 1; // the next comes in time all the same

    for (int seconds = 20; seconds < 1_800; seconds += 20) {
      pass(Duration.ofSeconds(20));
      scene.awaitAnswer("renew");
    }
    assertThat(scene.history()).isEmpty();
    scene.answered.clear();
    pass(Duration.ofSeconds(20));
    scene.awaitAnswer("settle");

    RecordedRun wedged = scene.history().get(0);
    assertThat(wedged.entry().status()).isEqualTo(RunStatus.FAILED);
    assertThat(wedged.entry().terminalReason()).isEqualTo("scheduler_dispatch_wedged");
    assertThat(wedged.entry().completedAt()).isEqualTo(due.plus(Duration.ofMinutes(30)));
    assertThat(done(scene.store.history().stats("shelf")).lastRun()).contains(wedged);
    assertThat(done(scene.store.history().stats("shelf")).failed()).isEqualTo(1);
    assertThat(done(scene.store.timeline().bounds(wedged.entry().run().runId())).terminal())
        .hasValueSatisfying(
            terminal -> assertThat(terminal.event().type()).isEqualTo(TimelineEventType.FAILED));
    assertThat(done(scene
                .store
                .timeline()
                .read(ReadTimeline.of(wedged.entry().run().runId())))
            .events())
        .hasSize(1);
    assertThat(scene.isRunning()).isFalse();

    sweep();
    scene.readiness = connector -> Future.succeededFuture(Optional.empty());
    scene.clock.advance(MINUTE);
    sweep();
    assertThat(scene.isRunning()).isTrue();
    shelfReady.complete(Optional.empty());
  }

  @Test
  void R8_S5_a_verticle_that_is_undeployed_gives_back_what_waits_and_starts_nothing_more() {
    slowShelfAndQuickAttic();
    Timers timers = Timers.of(scene.postgres.vertx());
    ConnectorSchedulerVerticle verticle =
        new ConnectorSchedulerVerticle(scene.scheduler, null, null, timers, new SchedulerOptions());
    String deployment = done(scene.postgres.vertx().deployVerticle(verticle));
    scene.awaitAnswer("start");

    done(scene.postgres.vertx().undeploy(deployment));
    shelfReady.complete(Optional.empty());

    assertThat(scene.requests).hasSize(1);
    assertThat(done(scene
            .store
            .schedules()
            .claimDue("tok_next", scene.clock.now(), scene.clock.now().plusSeconds(60), 10)))
        .singleElement()
        .satisfies(schedule -> assertThat(schedule.connector()).isEqualTo(StoreCase.SHELF));
  }

  @Test
  void a_verticle_whose_clock_is_not_right_does_nothing_until_it_is() {
    scene.every(MINUTE);
    AtomicBoolean right = new AtomicBoolean();
    Promise<Void> asked = Promise.promise();
    ConnectorSchedulerVerticle verticle = new ConnectorSchedulerVerticle(
        scene.scheduler,
        null,
        null,
        Timers.of(scene.postgres.vertx()),
        new SchedulerOptions().setSweep(Duration.ofMillis(20)),
        () -> {
          asked.tryComplete();
          return right.get();
        });
    String deployment = done(scene.postgres.vertx().deployVerticle(verticle));

    done(asked.future());
    assertThat(scene.requests).isEmpty();
    right.set(true);
    scene.awaitAnswer("start");

    assertThat(scene.requests).hasSize(1);
    done(scene.postgres.vertx().undeploy(deployment));
  }

  @Test
  void a_verticle_tells_of_runs_that_ended_and_deletes_what_is_old() {
    Promise<JsonObject> told = Promise.promise();
    HttpServer receiver = done(scene
        .postgres
        .vertx()
        .createHttpServer()
        .requestHandler(request -> request.body().onSuccess(body -> {
          told.tryComplete(body.toJsonObject());
          request.response().end();
        }))
        .listen(0, "127.0.0.1"));
    scene.every(MINUTE);
    sweep();
    String runId = scene.active().run().runId();
    scene.ask("q1");
    scene.end(RunStatus.FAILED, "connector_reported_failed", null, true);
    scene.clock.advance(Duration.ofDays(2));
    ConnectorSchedulerVerticle verticle = new ConnectorSchedulerVerticle(
        scene.scheduler,
        new WebhookNotices(
            scene.store.schedules(),
            scene.postgres.vertx().createHttpClient(),
            scene.clock,
            Randomness.seeded(1),
            new WebhookOptions("http://127.0.0.1:" + receiver.actualPort() + "/hook")),
        new ConnectorRetention(
            scene.store,
            scene.store.schedules(),
            scene.clock,
            new ConnectorRetentionOptions().setEventsOlderThan(Duration.ofDays(1))),
        Timers.of(scene.postgres.vertx()),
        new SchedulerOptions().setSweep(Duration.ofMillis(20)));

    String deployment = done(scene.postgres.vertx().deployVerticle(verticle));
    JsonObject notice = done(told.future());
    assertThat(Poll.until(
            Duration.ofMinutes(1), () -> typesOf(runId).equals(List.of(TimelineEventType.FAILED))))
        .as("what is old of the run is deleted, and its end is not")
        .isTrue();
    done(scene.postgres.vertx().undeploy(deployment));

    assertThat(notice.getString("kind")).isEqualTo("schedule.attention_needed");
    assertThat(notice.getString("run_id")).isEqualTo(runId);
    assertThat(typesOf(runId)).containsExactly(TimelineEventType.FAILED);
  }

  private List<TimelineEventType> typesOf(String runId) {
    return done(scene.store.timeline().read(ReadTimeline.of(runId))).events().stream()
        .map(event -> event.event().type())
        .toList();
  }
}
