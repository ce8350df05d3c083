package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.StoreCase.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.store.StoreCase;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnectOptions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** A process goes on while another database takes the place of the one that it knows. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgReplacedDatabaseTest {
  private static final String NAME = "store_of_replaced_database";

  private final PgScene scene = PgScene.direct();
  private final PgConnectorStoreOptions options = scene.options();
  private final PgConnectorStore store = scene.connected(named(options));
  private final StoreCase known = new StoreCase(store, store.records());

  @AfterEach
  void close() {
    scene.close();
  }

  private static PgConnectorStoreOptions named(PgConnectorStoreOptions options) {
    PgConnectOptions connect = options.getConnectOptions();
    connect.addProperty("application_name", NAME);
    return new PgConnectorStoreOptions(options).setConnectOptions(connect);
  }

  /** The number that the store knows is another environment's from now on. */
  private void renumber() {
    scene.sql(options, "UPDATE {s}.connector_environments SET environment_key = 'was_another'");
  }

  @Test
  void the_number_of_the_environment_is_asked_for_again_behind_a_new_connection() {
    known.running("run_of_another");
    renumber();
    scene.sql(
        options,
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = '"
            + NAME + "'");

    assertThat(done(inTheEnd(20))).isEmpty();
    known.running("run_after");
    assertThat(done(scene.connected(options).activeRuns().list()))
        .extracting(run -> run.run().runId())
        .containsExactly("run_after");
  }

  @Test
  void what_is_known_of_tables_that_were_gone_for_a_moment_is_asked_for_again() {
    known.running("run_of_another");
    scene.sql(options, "ALTER TABLE {s}.controller_active_runs RENAME TO away");
    assertThat(failure(store.activeRuns().list()).code()).isEqualTo(ErrorCode.INTERNAL_ERROR);
    scene.sql(options, "ALTER TABLE {s}.away RENAME TO controller_active_runs");
    renumber();

    assertThat(done(store.activeRuns().list())).isEmpty();
  }

  /** The pool may hand out connections whose end it has not heard of yet. */
  private Future<List<ActiveRun>> inTheEnd(int tries) {
    return store
        .activeRuns()
        .list()
        .recover(lost -> tries > 1 ? inTheEnd(tries - 1) : Future.failedFuture(lost));
  }

  private static RunlaneException failure(Future<?> call) {
    return (RunlaneException) StoreCase.failure(call);
  }
}
