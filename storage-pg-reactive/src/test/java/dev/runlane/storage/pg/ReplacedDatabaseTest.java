package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.conformance.kit.Outcomes.failure;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRuns;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.GetRun;
import dev.runlane.testinfra.postgres.EmbeddedPostgres;
import dev.runlane.testinfra.process.Poll;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.PoolOptions;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** A process goes on while another database takes the place of the one that it knows. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ReplacedDatabaseTest {
  private static final Environment OTHER = new Environment("other");
  private static final QueuePolicy BOUNDED = QueuePolicy.bounded("bounded", 1);
  private static final EmbeddedPostgres SERVER = EmbeddedPostgres.builder().start();

  private final Vertx vertx = Vertx.vertx();
  private final PgConnectOptions live =
      PgStorageFixture.connectOptions(SERVER.createDatabase("replaced"));
  private final String name = live.getDatabase();
  private final Scene scene = Scene.on(new PgStorageOptions().setConnectOptions(live));
  private PgStorageAdapter storage;

  @BeforeEach
  void back_up_before_the_process_begins() {
    PgStorageAdapter migrating =
        PgStorageAdapter.create(vertx, new PgStorageOptions().setConnectOptions(live));
    done(migrating.start());
    done(migrating.close());
    byHand("ALTER DATABASE " + name + " ALLOW_CONNECTIONS false");
    byHand("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'");
    byHand("CREATE DATABASE backup_" + name + " TEMPLATE " + name);
    byHand("ALTER DATABASE " + name + " ALLOW_CONNECTIONS true");
    storage = scene.start();
  }

  @AfterEach
  void close() {
    scene.close();
    done(vertx.close());
  }

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  private void restore() {
    byHand("DROP DATABASE " + name + " WITH (FORCE)");
    byHand("ALTER DATABASE backup_" + name + " RENAME TO " + name);
  }

  private void byHand(String sql) {
    PgConnection connection =
        done(PgConnection.connect(vertx, new PgConnectOptions(live).setDatabase("postgres")));
    done(connection.query(sql).execute().eventually(connection::close));
  }

  private static boolean has(StorageAdapter storage, Environment environment, String runId) {
    return done(storage.getRun(new GetRun(environment, runId))).isPresent();
  }

  @Test
  void an_environment_that_has_another_number_after_a_restore_stays_apart_from_others() {
    scene.store(TestRuns.queued("run_before"), storage);
    restore();
    PgStorageAdapter other = scene.start();
    scene.store(TestRuns.queued("run_of_other").environment(OTHER), other);

    String stored = Scene.storeInTheEnd("run_after", TestRuns::queued, storage).id();

    PgStorageAdapter fresh = scene.start();
    assertThat(has(fresh, ENVIRONMENT, stored)).isTrue();
    assertThat(has(fresh, OTHER, stored)).isFalse();
    assertThat(has(storage, ENVIRONMENT, "run_before")).isFalse();
    assertThat(has(storage, ENVIRONMENT, "run_of_other")).isFalse();
  }

  @Test
  void a_call_that_waits_for_a_connection_to_another_database_is_not_another_environments() {
    PgStorageAdapter impatient = scene.start(scene
        .options()
        .setPoolOptions(new PoolOptions().setMaxSize(1))
        .setStatementDeadline(Duration.ofSeconds(3)));
    Scene.storeInTheEnd("run_before", TestRuns::queued, impatient);
    byHand("ALTER DATABASE " + name + " ALLOW_CONNECTIONS false");
    byHand("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'");
    assertThat(Poll.until(Duration.ofMinutes(1), () -> done(TestRuns.queued("run_none")
                .storeIn(impatient)
                .transform((run, failure) -> Future.succeededFuture(String.valueOf(failure))))
            .contains("cannot connect")))
        .as("it has no connection")
        .isTrue();
    byHand("ALTER DATABASE " + name + " ALLOW_CONNECTIONS true");
    PgConnection beside = scene.connect();
    Scene.execute(
        beside,
        "UPDATE runlane.environments SET environment_key = '" + OTHER.environmentKey() + "'");
    Scene.execute(
        beside,
        "INSERT INTO runlane.environments (env, environment_key) OVERRIDING SYSTEM VALUE VALUES (7, '"
            + ENVIRONMENT.environmentKey() + "')");

    List<Future<RunRecord>> waiting = IntStream.range(0, 3)
        .mapToObj(i -> TestRuns.queued("run_waits_" + i).storeIn(impatient))
        .toList();
    waiting.forEach(each -> done(each.otherwiseEmpty()));
    String stored =
        Scene.storeInTheEnd("run_after", TestRuns::queued, impatient).id();

    PgStorageAdapter fresh = scene.start();
    for (int i = 0; i < 3; i++) {
      assertThat(has(fresh, OTHER, "run_waits_" + i)).as("stored for another").isFalse();
    }
    assertThat(has(fresh, ENVIRONMENT, stored)).isTrue();
    assertThat(has(fresh, OTHER, stored)).isFalse();
  }

  @Test
  void a_callers_connection_to_a_database_with_other_numbers_gets_no_rows_of_another_environment() {
    scene.store(TestRuns.queued("run_before"), storage);
    PgConnection before = done(PgConnection.connect(vertx, live));
    store(before, "run_in_transaction");
    assertThat(has(storage, ENVIRONMENT, "run_in_transaction")).isTrue();
    int number = done(before.query("SELECT env FROM runlane.environments").execute())
        .iterator()
        .next()
        .getInteger(0);
    done(before.close());
    PgConnectOptions elsewhere = new PgConnectOptions(live).setDatabase("backup_" + name);
    PgConnection callers = done(PgConnection.connect(vertx, elsewhere));
    make(callers, number, OTHER);

    assertThat(
            failure(TestRuns.queued("run_nowhere").storeIn(storage.on(callers))).isRetryable())
        .isTrue();
    make(callers, number + 77, ENVIRONMENT);
    store(callers, "run_after");
    store(callers, "run_after_it");

    PgStorageAdapter fresh = scene.start(scene.options().setConnectOptions(elsewhere));
    for (String stored : List.of("run_after", "run_after_it")) {
      assertThat(has(fresh, ENVIRONMENT, stored)).isTrue();
      assertThat(has(fresh, OTHER, stored)).isFalse();
    }
  }

  private static void make(PgConnection connection, int number, Environment environment) {
    Scene.execute(
        connection,
        "INSERT INTO runlane.environments (env, environment_key) OVERRIDING SYSTEM VALUE VALUES ("
            + number + ", '" + environment.environmentKey() + "')");
  }

  private void store(PgConnection callers, String runId) {
    done(callers.begin().compose(transaction -> TestRuns.queued(runId)
        .storeIn(storage.on(callers))
        .compose(run -> transaction.commit())));
  }

  @Test
  void a_partition_that_a_restore_knows_nothing_of_gives_its_slots() {
    RunRecord before = scene.store(TestRuns.queued("run_before").queue(BOUNDED), storage);
    assertThat(done(Scene.claimLease(storage, before, BOUNDED))).isPresent();
    restore();

    RunRecord after =
        Scene.storeInTheEnd("run_after", id -> TestRuns.queued(id).queue(BOUNDED), storage);

    assertThat(done(Scene.claimLease(storage, after, BOUNDED))).isPresent();
  }

  @Test
  void what_is_known_of_tables_that_were_gone_for_a_moment_is_asked_for_again() {
    scene.store(TestRuns.queued("run_before"), storage);
    PgConnection beside = scene.connect();
    Scene.execute(beside, "ALTER TABLE runlane.run_events RENAME TO away");
    assertThat(failure(TestRuns.queued("run_lost").storeIn(storage)).code())
        .isEqualTo(ErrorCode.INTERNAL_ERROR);
    Scene.execute(beside, "ALTER TABLE runlane.away RENAME TO run_events");
    Scene.execute(beside, "UPDATE runlane.environments SET environment_key = 'was_another'");

    scene.store(TestRuns.queued("run_after"), storage);

    assertThat(has(scene.start(), ENVIRONMENT, "run_after")).isTrue();
    assertThat(has(storage, ENVIRONMENT, "run_before")).isFalse();
  }
}
