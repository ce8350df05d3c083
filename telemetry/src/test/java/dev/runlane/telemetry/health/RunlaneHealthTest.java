package dev.runlane.telemetry.health;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.testinfra.process.Poll;
import dev.runlane.testinfra.process.TcpLine;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Timers;
import dev.runlane.transport.ForwardingTransportAdapter;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.TransportProbe;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.healthchecks.CheckResult;
import io.vertx.ext.healthchecks.HealthChecks;
import io.vertx.ext.healthchecks.Status;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Each thing that can be wrong with a process, broken by itself, on a real Postgres. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class RunlaneHealthTest {
  private static final PostgresAddress DATABASE = PostgresServers.shared().createDatabase("health");

  private static final Task<String> QUICK = Task.define("quick", String.class)
      .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));

  private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(2));
  private String schema = "health";
  private final PgConnectOptions direct = PgConnectOptions.fromUri(DATABASE.toUri());
  private final TcpLine database = new TcpLine(direct.getHost(), direct.getPort());
  private final TcpLine listening = new TcpLine(direct.getHost(), direct.getPort());
  private Duration timeout = Duration.ofSeconds(30);
  private boolean brokerIsAway;
  private Runlane runlane;

  @AfterEach
  void close() {
    database.close();
    listening.close();
    if (runlane != null) {
      await(runlane.close().otherwiseEmpty());
    }
    await(vertx.close());
  }

  /** One whose checks that hang end soon; the others have run once before. */
  private RunlaneHealth startedWithLittlePatience() {
    timeout = Duration.ofSeconds(3);
    RunlaneHealth health = started();
    assertThat(soonDown(health.readiness())).isEmpty();
    return health;
  }

  private RunlaneHealth started() {
    return started(Clock.system());
  }

  private RunlaneHealth started(Clock clock) {
    PgStorageAdapter storage = PgStorageAdapter.create(
        vertx,
        new PgStorageOptions()
            .setSchema(schema)
            .setConnectOptions(over(database))
            .setListenOptions(over(listening)));
    runlane = Runlane.builder(vertx, Lanes.create(storage, probed(storage.notifyTransport())))
        .queue(TaskQueue.of("default").asDefault())
        .task(QUICK)
        .clock(clock)
        .build();
    await(runlane.start());
    return RunlaneHealth.create(
        vertx,
        runlane,
        new RunlaneHealthOptions().setTimeout(timeout).setRemembered(Duration.ZERO));
  }

  private PgConnectOptions over(TcpLine line) {
    return new PgConnectOptions(direct).setHost("localhost").setPort(line.port());
  }

  private TransportAdapter probed(TransportAdapter transport) {
    return new ForwardingTransportAdapter(transport) {
      @Override
      public Optional<TransportProbe> probe() {
        return Optional.of(() -> brokerIsAway
            ? Future.failedFuture(RunlaneException.unavailable(
                ErrorCode.TRANSPORT_UNAVAILABLE, null, "nobody answers at broker:9092"))
            : Future.succeededFuture());
      }
    };
  }

  /** The names of what is down, with what is said about it. */
  private static Map<String, JsonObject> down(HealthChecks checks) {
    Map<String, JsonObject> down = new TreeMap<>();
    collect(await(checks.checkStatus()), down);
    return down;
  }

  /** The same once these are down and no others: at once, unless the machine stands still for as long as checks may. */
  private static Map<String, JsonObject> soonDown(HealthChecks checks, String... names) {
    AtomicReference<Map<String, JsonObject>> down = new AtomicReference<>(Map.of());
    Poll.until(Duration.ofSeconds(60), () -> {
      down.set(down(checks));
      return down.get().keySet().equals(Set.of(names));
    });
    return down.get();
  }

  private static void collect(CheckResult result, Map<String, JsonObject> down) {
    if (result.getChecks() != null && !result.getChecks().isEmpty()) {
      result.getChecks().forEach(each -> collect(each, down));
    } else if (!result.getUp()) {
      down.put(result.getId(), result.getData() == null ? new JsonObject() : result.getData());
    }
  }

  private static void assertSaysWhatToDo(JsonObject data, String problem, String remedy) {
    assertThat(data.getString("problem")).contains(problem);
    assertThat(data.getString("remedy")).contains(remedy);
  }

  @Test
  void a_process_with_nothing_wrong_is_alive_and_ready() {
    RunlaneHealth health = started();

    assertThat(down(health.liveness())).isEmpty();
    assertThat(down(health.readiness())).isEmpty();
  }

  @Test
  void a_blocked_event_loop_is_not_alive_until_it_turns_again() {
    RunlaneHealth health = startedWithLittlePatience();
    HealthChecks liveness = health.liveness();
    CountDownLatch released = new CountDownLatch(1);
    Promise<Map<String, JsonObject>> seen = Promise.promise();
    Context blocked = contextOtherThan(null);
    Context asking = contextOtherThan(blocked);

    blocked.runOnContext(turn -> awaitLatch(released));
    asking.runOnContext(turn -> liveness
        .checkStatus()
        .map(result -> {
          Map<String, JsonObject> down = new TreeMap<>();
          collect(result, down);
          return down;
        })
        .onComplete(seen));
    Map<String, JsonObject> down = await(seen.future());
    released.countDown();

    assertThat(down).containsOnlyKeys("event-loops");
    assertSaysWhatToDo(down.get("event-loops"), "did not answer", "blockingHandler");
    assertThat(soonDown(liveness)).isEmpty();
  }

  /** A context on another event loop than that one. */
  private Context contextOtherThan(@Nullable Context other) {
    for (int tries = 0; tries < 10; tries++) {
      Context made = ((VertxInternal) vertx).createEventLoopContext();
      Promise<Thread> mine = Promise.promise();
      Promise<Thread> theirs = Promise.promise();
      made.runOnContext(turn -> mine.complete(Thread.currentThread()));
      if (other == null) {
        return made;
      }
      other.runOnContext(turn -> theirs.complete(Thread.currentThread()));
      if (await(mine.future()) != await(theirs.future())) {
        return made;
      }
    }
    throw new AssertionError("there is one event loop only");
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, SECONDS)).isTrue();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void a_database_that_is_silent_makes_the_process_not_ready_and_leaves_it_alive() {
    RunlaneHealth health = startedWithLittlePatience();

    database.silence();

    Map<String, JsonObject> down = down(health.readiness());
    assertThat(down).containsKeys("storage").doesNotContainKeys("clock", "broker");
    assertSaysWhatToDo(down.get("storage"), "did not answer within PT3S", "database is up");
    assertThat(soonDown(health.liveness())).isEmpty();
  }

  @Test
  void a_listener_that_does_not_hear_its_own_notice_is_not_ready() {
    RunlaneHealth health = startedWithLittlePatience();

    listening.silence();

    Map<String, JsonObject> down = soonDown(health.readiness(), "listener");
    assertThat(down).containsOnlyKeys("listener");
    assertThat(down.get("listener").getString("remedy")).contains("listenOptions");
  }

  @Test
  void migrations_that_are_missing_are_named() {
    schema = "lacking";
    RunlaneHealth health = started();
    PgConnection connection = await(PgConnection.connect(vertx, direct));
    await(connection
        .query("DELETE FROM " + schema + ".schema_migrations WHERE version = 6")
        .execute());
    await(connection.close());

    Map<String, JsonObject> down = down(health.readiness());

    assertThat(down).containsOnlyKeys("migrations");
    assertSaysWhatToDo(
        down.get("migrations"), "lacks migration 6 (pruned_occurrences)", "Apply the migrations");
  }

  @Test
  void a_clock_that_is_off_is_said_with_by_how_much() {
    RunlaneHealth health = started(() -> Clock.system().now().plusSeconds(3_600));

    Map<String, JsonObject> down = down(health.readiness());

    assertThat(down).containsOnlyKeys("clock");
    assertSaysWhatToDo(down.get("clock"), "ahead of the storage's", "NTP");
  }

  @Test
  void a_broker_that_is_away_makes_the_process_not_ready() {
    RunlaneHealth health = started();

    brokerIsAway = true;

    Map<String, JsonObject> down = down(health.readiness());
    assertThat(down).containsOnlyKeys("broker");
    assertSaysWhatToDo(down.get("broker"), "broker:9092", "outbox");
  }

  @Test
  void a_process_whose_places_are_all_taken_by_outcomes_that_a_trigger_refuses_is_not_ready() {
    schema = "refusing";
    RunlaneHealth health = started();
    PgConnection connection = await(PgConnection.connect(vertx, direct));
    await(connection
        .query(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION $$no$$; END'")
        .execute());
    await(connection
        .query("CREATE TRIGGER audit BEFORE INSERT ON refusing.run_events FOR EACH ROW"
            + " WHEN (NEW.type = 'run.succeeded') EXECUTE FUNCTION refuse()")
        .execute());
    await(runlane.worker(new WorkerOptions().setConcurrency(1)));
    String runId = await(runlane.trigger(QUICK, "x")).run().id();

    Map<String, JsonObject> down = soonDown(health.readiness(), "outcomes");
    assertSaysWhatToDo(down.get("outcomes"), runId, "doctor");
    assertThat(down.get("outcomes").getString("problem")).contains("P0001");

    await(connection.query("DROP TRIGGER audit ON refusing.run_events").execute());
    await(connection.close());
    assertThat(await(runlane.awaitRun(runId, Duration.ofSeconds(60))).status())
        .isEqualTo(RunStatus.SUCCEEDED);
    assertThat(soonDown(health.readiness())).isEmpty();
  }

  @Test
  void probes_that_come_together_ask_once() {
    AtomicInteger asked = new AtomicInteger();
    HealthProbe question = new HealthProbe(
        Timers.of(vertx),
        new RunlaneHealthOptions().setRemembered(Duration.ofMinutes(1)),
        "it",
        "nothing",
        () -> {
          asked.incrementAndGet();
          return Future.succeededFuture();
        });

    for (int probe = 0; probe < 10; probe++) {
      Promise<Status> answer = Promise.promise();
      question.answer(answer);
      assertThat(await(answer.future()).isOk()).isTrue();
    }

    assertThat(asked).hasValue(1);
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(60, SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    }
  }
}
