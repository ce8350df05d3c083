package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.conformance.kit.Outcomes.failure;
import static dev.runlane.storage.pg.Scene.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRuns;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** The indexes of due runs and of fires on tables that were too large for the migrations to make them. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class LateIndexesTest {
  private static final UnsettledIndexes SETTLED = new UnsettledIndexes(List.of(), List.of(), false);

  private final Scene scene = Scene.open();
  private PgStorageAdapter storage;

  @BeforeEach
  void dropAll() {
    storage = scene.start();
    done(settle());
    PgConnection connection = scene.connect();
    Scene.execute(connection, "DROP INDEX " + scene.schema() + ".active_runs_due_task");
    Scene.execute(connection, "DROP INDEX " + scene.schema() + ".active_runs_due_task_bounded");
    Scene.execute(connection, "DROP INDEX " + scene.schema() + ".schedule_occurrences_fires");
    Scene.execute(connection, "DROP INDEX " + scene.schema() + ".outbox_messages_failed");
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void what_the_migration_left_out_is_made_beside_writers() {
    scene.store(TestRuns.queued("run_1"), storage);

    done(settle());

    assertThat(whole()).isEqualTo(4);
  }

  @Test
  void an_index_that_a_killed_process_left_unfinished_is_made_anew() {
    PgConnection connection = scene.connect();
    Scene.execute(connection, leftUnfinished());
    assertThat(whole()).isZero();

    done(settle());

    assertThat(whole()).isEqualTo(4);
  }

  @Test
  void of_two_processes_that_start_at_once_one_makes_them_and_the_other_looks_again() {
    PgConnection writer = scene.begin();
    Scene.execute(writer, "LOCK TABLE " + scene.schema() + ".active_runs IN ROW EXCLUSIVE MODE");

    Future<UnsettledIndexes> one = settle();
    Future<UnsettledIndexes> other = settle();
    UnsettledIndexes left =
        done(Future.any(one, other).map(any -> (one.succeeded() ? one : other).result()));
    Scene.execute(writer, "COMMIT");

    assertThat(left.isBusy()).isTrue();
    assertThat(left.missing()).hasSize(4);
    assertThat(List.of(done(one), done(other))).containsExactlyInAnyOrder(left, SETTLED);
    assertThat(whole()).isEqualTo(4);
    assertThat(done(settle())).isEqualTo(SETTLED);
  }

  @Test
  void who_finds_the_lock_held_touches_nothing_and_makes_them_once_it_is_free() {
    PgConnection holder = scene.connect();
    Scene.execute(
        holder,
        "SELECT pg_advisory_lock(hashtextextended('runlane indexes " + scene.schema() + "', 0))");
    Scene.execute(holder, leftUnfinished());
    ManualTimers timers = new ManualTimers(ManualClock.at(Scene.NOON));
    LateIndexLoop loop = loop(timers);

    loop.begin(done(unsettled()));
    until(() -> timers.pending() == 1);
    assertThat(unfinished("active_runs_due_task"))
        .as("an index that is not whole")
        .isOne();
    assertThat(done(unsettled()).missing()).hasSize(4);
    done(holder.close());
    until(() -> locks() == 0);

    timers.advance(LateIndexLoop.RETRY_DELAY);
    until(() -> whole() == 4);
    loop.close();
  }

  @Test
  void what_fails_is_tried_again_until_the_storage_is_closed() {
    ManualTimers timers = new ManualTimers(ManualClock.at(Scene.NOON));
    LateIndexLoop loop =
        loop(timers, scene.options().getConnectOptions().setDatabase("no_such_database"));

    loop.begin(done(unsettled()));
    until(() -> timers.pending() == 1);
    timers.advance(LateIndexLoop.RETRY_DELAY);
    until(() -> timers.pending() == 1);
    loop.close();

    assertThat(timers.pending()).isZero();
  }

  @Test
  void a_storage_that_is_started_again_tries_no_more_often() {
    ManualTimers timers = new ManualTimers(ManualClock.at(Scene.NOON));
    PgConnectOptions nowhere = scene.options().getConnectOptions().setDatabase("no_such_database");
    LateIndexLoop loop = loop(timers, nowhere);
    UnsettledIndexes left = done(unsettled());

    for (int start = 0; start < 5; start++) {
      loop.begin(left);
    }
    until(() -> timers.pending() > 0);
    failure(PgStorageAdapter.settleIndexes(
        scene.vertx(), nowhere, scene.schema())); // behind all of them

    assertThat(timers.pending()).isOne();
    loop.close();
  }

  @Test
  void through_a_pooler_nothing_is_made() {
    PgConnectOptions pooled =
        scene.options().getConnectOptions().setUseLayer7Proxy(true).setPort(1);
    ManualTimers timers = new ManualTimers(ManualClock.at(Scene.NOON));

    loop(timers, pooled).begin(done(unsettled()));
    RunlaneException refused =
        failure(PgStorageAdapter.settleIndexes(scene.vertx(), pooled, scene.schema()));

    assertThat(refused.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(timers.pending()).isZero();
  }

  @Test
  void an_index_that_another_role_makes_at_this_moment_is_left_to_it() {
    String role = "indexes_" + scene.schema();
    PgConnection writer = scene.begin();
    Scene.execute(
        writer, "LOCK TABLE " + scene.schema() + ".schedule_occurrences IN ROW EXCLUSIVE MODE");
    PgConnection maker = scene.connect();
    Scene.execute(
        maker,
        ("CREATE ROLE {role} LOGIN PASSWORD 'secret'; GRANT ALL ON SCHEMA {schema} TO {role};"
                + " GRANT ALL ON ALL TABLES IN SCHEMA {schema} TO {role};"
                + " ALTER TABLE {schema}.active_runs OWNER TO {role};"
                + " ALTER TABLE {schema}.outbox_messages OWNER TO {role}")
            .replace("{role}", role)
            .replace("{schema}", scene.schema()));
    Future<?> made = maker
        .query("CREATE INDEX CONCURRENTLY schedule_occurrences_fires ON " + scene.schema()
            + ".schedule_occurrences (env, schedule_id, fire_at)")
        .execute();
    until(() -> unfinished("schedule_occurrences_fires") == 1);

    UnsettledIndexes left =
        done(settle(scene.options().getConnectOptions().setUser(role).setPassword("secret")));
    Scene.execute(writer, "COMMIT");
    done(made);
    Scene.execute(
        maker,
        "REASSIGN OWNED BY {role} TO CURRENT_USER; DROP OWNED BY {role}; DROP ROLE {role}"
            .replace("{role}", role));

    assertThat(left)
        .isEqualTo(new UnsettledIndexes(List.of("schedule_occurrences_fires"), List.of(), false));
    assertThat(whole()).isEqualTo(4);
  }

  @Test
  void claims_are_right_without_them() {
    scene.store(TestRuns.queued("run_1"), storage);

    assertThat(Scene.claim(storage, List.of(Scene.DEFAULT_QUEUE), "tok_1", 5).runs())
        .hasSize(1);
  }

  @Test
  void timeouts_of_the_role_end_no_index_that_takes_longer() {
    PgConnection writer = scene.begin();
    Scene.execute(
        writer, "LOCK TABLE " + scene.schema() + ".schedule_occurrences IN ROW EXCLUSIVE MODE");
    PgConnectOptions hasty = scene.options().getConnectOptions();
    hasty.addProperty("statement_timeout", "250").addProperty("lock_timeout", "250");
    if (scene.number("SELECT count(*) FROM pg_settings WHERE name = 'transaction_timeout'") == 1) {
      hasty.addProperty("transaction_timeout", "250"); // from PostgreSQL 17 on
    }

    Future<UnsettledIndexes> made = begunBy(hasty);
    Scene.execute(writer, "COMMIT");
    done(made);

    assertThat(whole()).isEqualTo(4);
  }

  @Test
  void a_schema_that_no_older_process_uses_has_no_index_that_nothing_reads() {
    assertThat(superseded()).isZero();
  }

  @Test
  void what_the_release_before_follows_stays_while_a_process_of_it_lives_and_goes_after_it() {
    done(settle());
    PgConnection connection = scene.connect();
    makeSuperseded(connection);
    sayOlderProcessLives(connection);
    assertThat(done(settle()).superseded())
        .containsExactlyInAnyOrder("active_runs_due", "active_runs_due_bounded");
    assertThat(superseded()).isEqualTo(2);

    Scene.execute(
        connection,
        "UPDATE " + scene.schema()
            + ".live_processes SET last_seen = now() - interval '2 minutes'");

    assertThat(done(settle())).isEqualTo(SETTLED);
    assertThat(superseded()).isZero();
    assertThat(done(settle())).isEqualTo(SETTLED);
  }

  @Test
  void what_the_release_before_follows_stays_until_its_successors_are_made() {
    makeSuperseded(scene.connect());
    PgConnection writer = scene.begin();
    Scene.execute(writer, "LOCK TABLE " + scene.schema() + ".active_runs IN ROW EXCLUSIVE MODE");
    Future<?> made = scene
        .connect()
        .query("CREATE INDEX CONCURRENTLY active_runs_due_task ON " + scene.schema()
            + ".active_runs (env, queue, task_id, kind, due_at, run_id) WHERE partition IS NULL")
        .execute();
    until(() -> unfinished("active_runs_due_task") == 1);

    UnsettledIndexes left = done(settle());
    Scene.execute(writer, "COMMIT");
    done(made);

    assertThat(left)
        .isEqualTo(new UnsettledIndexes(
            List.of("active_runs_due_task", "active_runs_due_task_bounded"),
            List.of("active_runs_due", "active_runs_due_bounded"),
            false));
    assertThat(superseded()).isEqualTo(2);
    assertThat(done(settle())).isEqualTo(SETTLED);
    assertThat(superseded()).isZero();
  }

  @Test
  void the_migration_leaves_them_to_a_process_of_the_release_before() {
    PgConnection connection = scene.connect();
    done(settle());
    makeSuperseded(connection);
    sayOlderProcessLives(connection);
    Scene.execute(
        connection, "ALTER TABLE " + scene.schema() + ".live_processes DROP COLUMN schema_version");
    Scene.execute(
        connection, "DELETE FROM " + scene.schema() + ".schema_migrations WHERE version = 22");

    PgStorageAdapter next = scene.start();
    assertThat(superseded()).isEqualTo(2);

    scene.store(TestRuns.queued("run_1"), next);
    assertThat(Scene.claim(next, List.of(Scene.DEFAULT_QUEUE), "tok_1", 5).runs())
        .hasSize(1);
  }

  private void makeSuperseded(PgConnection connection) {
    Scene.execute(
        connection,
        "CREATE INDEX active_runs_due ON " + scene.schema()
            + ".active_runs (env, queue, kind, due_at, run_id) WHERE partition IS NULL");
    Scene.execute(
        connection,
        "CREATE INDEX active_runs_due_bounded ON " + scene.schema()
            + ".active_runs (env, queue, partition, occupies, due_at, run_id)"
            + " WHERE partition IS NOT NULL");
  }

  private void sayOlderProcessLives(PgConnection connection) {
    Scene.execute(connection, """
        INSERT INTO {s}.live_processes (env, process_id, host, version, roles, queues, task_ids, worker_ids, slots,
          running, longest_lease_millis, started_at, last_seen)
        VALUES (1, 'process_old', 'host', '0.0.9', '{}', '{}', '{}', '{}', 1, 0, 30000, now(), now())
        """.replace("{s}", scene.schema()));
  }

  private long superseded() {
    return scene.number("""
        SELECT count(*) FROM (VALUES (to_regclass('{schema}.active_runs_due')),
          (to_regclass('{schema}.active_runs_due_bounded'))) AS i(oid) WHERE oid IS NOT NULL
        """);
  }

  /** What comes before an index may be too slow for such a role on a busy machine, which then tries again. */
  private Future<UnsettledIndexes> begunBy(PgConnectOptions hasty) {
    AtomicReference<Future<UnsettledIndexes>> made = new AtomicReference<>(settle(hasty));
    until(() -> {
      if (made.get().isComplete()) {
        made.set(settle(hasty));
      }
      return waitsSinceLongerThanTheTimeouts() > 0;
    });
    return made.get();
  }

  private long waitsSinceLongerThanTheTimeouts() {
    return scene.number("""
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'CREATE INDEX CONCURRENTLY%{schema}%'
          AND clock_timestamp() - query_start > interval '500 ms'
        """);
  }

  private String leftUnfinished() {
    return """
        CREATE INDEX active_runs_due_task ON {s}.active_runs (env, queue, task_id, kind, due_at, run_id)
          WHERE partition IS NULL;
        UPDATE pg_index SET indisvalid = false WHERE indexrelid = '{s}.active_runs_due_task'::regclass
        """.replace("{s}", scene.schema());
  }

  private LateIndexLoop loop(ManualTimers timers) {
    return loop(timers, scene.options().getConnectOptions());
  }

  private LateIndexLoop loop(ManualTimers timers, PgConnectOptions role) {
    return new LateIndexLoop(scene.vertx(), timers, indexes(), scene.schema(), role);
  }

  private Future<UnsettledIndexes> settle() {
    return settle(scene.options().getConnectOptions());
  }

  private Future<UnsettledIndexes> settle(PgConnectOptions role) {
    return indexes().settle(scene.vertx(), role);
  }

  private Future<UnsettledIndexes> unsettled() {
    return indexes().unsettled(scene.vertx(), scene.options().getConnectOptions());
  }

  private LateIndexes indexes() {
    return new LateIndexes(PgParts.statements(scene.schema()), scene.schema());
  }

  private long unfinished(String index) {
    return scene.number("SELECT count(*) FROM pg_index WHERE NOT indisvalid"
        + " AND indexrelid = to_regclass('{schema}." + index + "')");
  }

  private long locks() {
    return scene.number(
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
            + " AND (classid::bigint << 32) + objid::bigint = hashtextextended('runlane indexes {schema}', 0)");
  }

  private long whole() {
    return scene.number("""
        SELECT count(*) FROM pg_index WHERE indisvalid AND indexrelid IN
          (to_regclass('{schema}.active_runs_due_task'),
            to_regclass('{schema}.active_runs_due_task_bounded'),
            to_regclass('{schema}.schedule_occurrences_fires'),
            to_regclass('{schema}.outbox_messages_failed'))
        """);
  }
}
