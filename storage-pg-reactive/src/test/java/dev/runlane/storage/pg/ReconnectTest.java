package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.conformance.kit.Outcomes.failure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.adapter.Subscription;
import dev.runlane.conformance.given.TestRuns;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.postgres.options.PgCredentials;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.CancellationSource;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.testinfra.postgres.EmbeddedPostgres;
import dev.runlane.testinfra.process.CapturedErrors;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.WakeupListener;
import dev.runlane.transport.WakeupPublishOutcome;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** One adapter outlives any number of lost servers; every command ends meanwhile. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ReconnectTest {
  private static final int MOST_AT_ONCE = 100;
  private static final EmbeddedPostgres SERVER = EmbeddedPostgres.builder().start();
  private final Scene scene = Scene.on(new PgStorageOptions()
      .setConnectOptions(PgStorageFixture.connectOptions(SERVER.createDatabase("reconnect")))
      .setPoolOptions(new PoolOptions().setMaxSize(4)));
  private PgStorageAdapter storage;

  @BeforeEach
  void start() {
    storage = scene.start();
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  @Test
  void after_a_crash_of_postgres_commands_are_unavailable_and_then_work_again() {
    for (int crash = 0; crash < 3; crash++) {
      RunRecord before = scene.store(TestRuns.queued("run_before_" + crash), storage);

      SERVER.kill();
      for (Future<?> command : Scene.everyKindOfCommand(storage, before, Scene.TASK)) {
        Scene.unavailable(command);
      }
      SERVER.restart();

      scene.store(TestRuns.succeeded("run_after_" + crash), storage);
      assertThat(Scene.find(storage, before.id())).contains(before);
    }
  }

  @Test
  void owners_that_cannot_be_told_of_what_was_stored_leave_a_few_lines() {
    CancellationSource owners = storage.cancellations().orElseThrow();
    done(owners.notifyRunOwner(Scene.ENVIRONMENT, "run_before"));
    SERVER.kill();

    List<String> lines = CapturedErrors.during(() -> IntStream.range(0, 300)
        .mapToObj(i -> owners.notifyRunOwner(Scene.ENVIRONMENT, "run_" + i))
        .toList()
        .forEach(Outcomes::done));
    SERVER.restart();

    assertThat(lines)
        .filteredOn(line -> line.contains("telling owners of runs"))
        .hasSizeBetween(1, 15);
  }

  @Test
  void commands_under_way_when_postgres_crashes_end_one_way_or_the_other() {
    List<Future<RunRecord>> sent = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      sent.add(TestRuns.queued("run_" + i).storeIn(storage));
    }
    SERVER.kill();
    List<Future<RunRecord>> sentTooLate = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      sentTooLate.add(TestRuns.queued("run_late_" + i).storeIn(storage));
    }

    List<String> stored = new ArrayList<>();
    for (Future<RunRecord> each : sent) {
      done(each.transform((run, failure) -> {
        if (failure == null) {
          stored.add(run.id());
          return Future.succeededFuture();
        }
        return failure instanceof RunlaneException ours
                && ours.code() == ErrorCode.STORAGE_UNAVAILABLE
            ? Future.succeededFuture()
            : Future.failedFuture(failure);
      }));
    }
    sentTooLate.forEach(Scene::unavailable);
    SERVER.restart();

    List<String> found = new ArrayList<>();
    for (int from = 0; from < stored.size(); from += MOST_AT_ONCE) {
      List<String> some = stored.subList(from, Math.min(from + MOST_AT_ONCE, stored.size()));
      done(storage.getRuns(new GetRuns(Scene.ENVIRONMENT, some)))
          .forEach(run -> found.add(run.id()));
    }
    assertThat(found).containsExactlyInAnyOrderElementsOf(stored);
    scene.store(TestRuns.succeeded("run_after"), storage);
  }

  @Test
  void a_listener_is_told_of_the_possible_loss_and_hears_again() {
    PgNotifyTransport transport = storage.notifyTransport();
    done(transport.start());
    Ears ears = new Ears();
    Scene.inTheEnd(() -> transport.subscribe(Scene.ENVIRONMENT, ears));
    publish(transport, "run_before");
    done(ears.heard("run_before"));

    for (int crash = 1; crash <= 2; crash++) {
      SERVER.kill();
      assertThat(failure(transport.publishWakeups(wakeup("run_lost"))).code())
          .isEqualTo(ErrorCode.TRANSPORT_UNAVAILABLE);
      SERVER.restart();

      done(ears.heard("possible loss " + crash));
      publish(transport, "run_after_" + crash);
      done(ears.heard("run_after_" + crash));
    }
  }

  @Test
  void subscribing_while_postgres_is_down_fails_and_works_once_it_is_back() {
    PgNotifyTransport transport = storage.notifyTransport();
    SERVER.kill();
    Ears ears = new Ears();

    Scene.unavailable(transport.subscribe(Scene.ENVIRONMENT, ears));
    SERVER.restart();

    Scene.inTheEnd(() -> transport.subscribe(Scene.ENVIRONMENT, ears));
    publish(transport, "run_1");
    done(ears.heard("run_1"));
  }

  @Test
  void a_subscription_made_while_the_listener_reconnects_is_in_force_once_it_is_back() {
    PgNotifyTransport transport = storage.notifyTransport();
    Scene.inTheEnd(() -> transport.subscribe(Scene.ENVIRONMENT, new Ears()));
    Ears ears = new Ears();

    Scene.inTheEnd(
        () -> { // a server may come back too late for the wait of one subscription
          SERVER.kill();
          Future<Subscription> subscribing =
              storage.cancellations().orElseThrow().subscribe(Scene.ENVIRONMENT, ears::hear);
          SERVER.restart();
          return subscribing;
        });

    RunRecord running = scene.store(
        TestRuns.cancellationRequested("run_1", Scene.NOON.plus(Scene.MINUTE)), storage);
    done(ears.heard(running.id()));
  }

  @Test
  void a_backend_that_an_operator_ends_costs_at_most_the_commands_on_it() {
    PgNotifyTransport transport = storage.notifyTransport();
    Ears ears = new Ears();
    Scene.inTheEnd(() -> transport.subscribe(Scene.ENVIRONMENT, ears));
    RunRecord run = scene.store(TestRuns.queued("run_1"), storage);

    scene.number("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
        + " WHERE datname = current_database() AND pid <> pg_backend_pid()");

    done(ears.heard("possible loss 1"));
    // Any of the other backends may end a little later than the listener's.
    assertThat(Scene.inTheEnd(() -> storage.getRun(new GetRun(Scene.ENVIRONMENT, run.id()))))
        .contains(run);
    Scene.inTheEnd(() -> transport.publishWakeups(wakeup("run_1")));
    done(ears.heard("run_1"));
  }

  @Test
  void a_password_that_is_changed_costs_at_most_the_commands_under_way() {
    execute("CREATE ROLE changed LOGIN SUPERUSER PASSWORD 'first'");
    AtomicReference<String> password = new AtomicReference<>("first");
    PgConnectOptions asking = PgCredentials.forEachConnection(
        scene.options().getConnectOptions(),
        () -> Future.succeededFuture(new PgCredentials("changed", password.get())));
    PgStorageAdapter changing =
        PgStorageAdapter.create(scene.vertx(), scene.options().setConnectOptions(asking));
    done(changing.start());
    PgNotifyTransport transport = changing.notifyTransport();
    Ears ears = new Ears();
    Scene.inTheEnd(() -> transport.subscribe(Scene.ENVIRONMENT, ears));
    RunRecord run = scene.store(TestRuns.queued("run_1"), changing);

    execute("ALTER ROLE changed PASSWORD 'second'");
    execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'changed'");
    Scene.until(() -> done(changing
        .getRun(new GetRun(Scene.ENVIRONMENT, run.id()))
        .map(found -> false)
        .otherwise(refused -> refused.getMessage().contains("as changed"))));
    password.set("second");

    done(ears.heard("possible loss 1"));
    assertThat(Scene.inTheEnd(() -> changing.getRun(new GetRun(Scene.ENVIRONMENT, run.id()))))
        .contains(run);
    Scene.inTheEnd(() -> transport.publishWakeups(wakeup("run_1")));
    done(ears.heard("run_1"));
    done(changing.close());
    execute("DROP ROLE changed");
  }

  private void execute(String sql) {
    done(scene.connect().query(sql).execute());
  }

  private static void publish(PgNotifyTransport transport, String runId) {
    assertThat(done(transport.publishWakeups(wakeup(runId))))
        .allMatch(WakeupPublishOutcome::isPublished);
  }

  private static PublishWakeups wakeup(String runId) {
    return new PublishWakeups(List.of(new PublishWakeups.Attempt(
        "msg_1",
        "tok_1",
        new DeliveryMessage(Scene.ENVIRONMENT, runId, "default", Scene.NOON, null))));
  }

  /** What a subscriber was told, to be waited for. */
  private static final class Ears implements WakeupListener {
    private final Map<String, Promise<Void>> awaited = new ConcurrentHashMap<>();
    private int losses;

    Future<Void> heard(String what) {
      return promised(what).future();
    }

    void hear(String what) {
      promised(what).tryComplete();
    }

    private Promise<Void> promised(String what) {
      return awaited.computeIfAbsent(what, any -> Promise.promise());
    }

    @Override
    public void onWakeups(List<DeliveryMessage> messages) {
      messages.forEach(message -> hear(message.runId()));
    }

    @Override
    public void onPossibleLoss() {
      hear("possible loss " + ++losses);
    }
  }
}
