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
