package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRuns;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** The indexes of due runs and of fires on tables that were too large for the migrations to make them. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class LateIndexesTest {
  private final Scene scene = Scene.open();
  private PgStorageAdapter storage;

  @BeforeEach
  void dropAll() {
    storage = scene.start();
    done(makeIndexes());
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

    done(makeIndexes());

    assertThat(whole()).isEqualTo(4);
  }

  @Test
  void an_index_that_a_killed_process_left_unfinished_is_made_anew() {
    PgConnection connection = scene.connect();
    Scene.execute(
        connection,
        "CREATE INDEX active_runs_due_task ON " + scene.schema()
            + ".active_runs (env, queue, task_id, kind, due_at, run_id) WHERE partition IS NULL");
    Scene.execute(
        connection,
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = '" + scene.schema()
            + ".active_runs_due_task'::regclass");
    assertThat(whole()).isZero();

    done(makeIndexes());

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

    Future<Void> made = makeIndexes(hasty);
    while (!made.isComplete() && waitsSinceLongerThanTheTimeouts() == 0) {
      Thread.onSpinWait();
    }
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
    done(makeIndexes());
    PgConnection connection = scene.connect();
    makeSuperseded(connection);
    sayOlderProcessLives(connection);
    assertThat(done(dropSuperseded())).as("nothing is left to be dropped").isFalse();
    assertThat(superseded()).isEqualTo(2);

    Scene.execute(
        connection,
        "UPDATE " + scene.schema()
            + ".live_processes SET last_seen = now() - interval '2 minutes'");

    assertThat(done(dropSuperseded())).isTrue();
    assertThat(superseded()).isZero();
    assertThat(done(dropSuperseded())).isTrue();
  }

  @Test
  void what_the_release_before_follows_stays_until_its_successors_are_made() {
    makeSuperseded(scene.connect());

    assertThat(done(dropSuperseded())).isFalse();
    assertThat(superseded()).isEqualTo(2);

    done(makeIndexes());
    assertThat(done(dropSuperseded())).isTrue();
    assertThat(superseded()).isZero();
  }

  @Test
  void the_migration_leaves_them_to_a_process_of_the_release_before() {
    PgConnection connection = scene.connect();
    done(makeIndexes());
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

  private Future<Boolean> dropSuperseded() {
    return new LateIndexes(PgParts.statements(scene.schema()), scene.schema())
        .dropSuperseded(scene.vertx(), scene.options().getConnectOptions());
  }

  private long superseded() {
    return scene.number("""
        SELECT count(*) FROM (VALUES (to_regclass('{schema}.active_runs_due')),
          (to_regclass('{schema}.active_runs_due_bounded'))) AS i(oid) WHERE oid IS NOT NULL
        """);
  }

  private long waitsSinceLongerThanTheTimeouts() {
    return scene.number("""
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'CREATE INDEX CONCURRENTLY%{schema}%'
          AND clock_timestamp() - query_start > interval '500 ms'
        """);
  }

  private Future<Void> makeIndexes() {
    return makeIndexes(scene.options().getConnectOptions());
  }

  private Future<Void> makeIndexes(PgConnectOptions role) {
    return new LateIndexes(PgParts.statements(scene.schema()), scene.schema())
        .make(scene.vertx(), role);
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
