package dev.runlane.storage.pg;

import static dev.runlane.storage.pg.Scene.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.TestRuns;
import dev.runlane.postgres.SchemaName;
import dev.runlane.postgres.SqlStatements;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** The indexes of due runs on a table that was too large for the migration to make them. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class DueIndexesTest {
  private final Scene scene = Scene.open();
  private PgStorageAdapter storage;

  @BeforeEach
  void dropBoth() {
    storage = scene.start();
    done(makeIndexes());
    PgConnection connection = scene.connect();
    Scene.execute(connection, "DROP INDEX " + scene.schema() + ".active_runs_due_task");
    Scene.execute(connection, "DROP INDEX " + scene.schema() + ".active_runs_due_task_bounded");
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void what_the_migration_left_out_is_made_beside_writers() {
    scene.store(TestRuns.queued("run_1"), storage);

    done(makeIndexes());

    assertThat(whole()).isEqualTo(2);
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

    assertThat(whole()).isEqualTo(2);
  }

  @Test
  void claims_are_right_without_them() {
    scene.store(TestRuns.queued("run_1"), storage);

    assertThat(Scene.claim(storage, List.of(Scene.DEFAULT_QUEUE), "tok_1", 5).runs())
        .hasSize(1);
  }

  private Future<Void> makeIndexes() {
    SqlStatements statements =
        SqlStatements.load(PgParts.class, new SchemaName(scene.schema()), "sql/claims.sql");
    return new DueIndexes(statements, scene.schema())
        .make(scene.vertx(), scene.options().getConnectOptions());
  }

  private long whole() {
    return scene.number("""
        SELECT count(*) FROM pg_index WHERE indisvalid AND indexrelid IN
          (to_regclass('{schema}.active_runs_due_task'),
            to_regclass('{schema}.active_runs_due_task_bounded'))
        """);
  }
}
