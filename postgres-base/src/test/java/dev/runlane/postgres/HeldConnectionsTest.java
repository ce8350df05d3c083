package dev.runlane.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.testinfra.process.CapturedErrors;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class HeldConnectionsTest {
  private final Database database = Database.shared();
  private final Pool pool =
      PgBuilder.pool().connectingTo(database.options()).using(database.vertx()).build();
  private final CapturedErrors printed = CapturedErrors.begin();

  @AfterEach
  void close() {
    printed.close();
    Database.done(pool.close());
    database.close();
  }

  @Test
  void a_transaction_stands_or_falls_with_its_work() {
    database.sql("DROP TABLE IF EXISTS notes; CREATE TABLE notes (note text)");

    Database.done(HeldConnections.transaction(pool, connection -> note(connection, "kept")));
    Throwable failure =
        Database.failure(HeldConnections.transaction(pool, connection -> note(connection, "dropped")
            .compose(noted -> Future.failedFuture(new IllegalStateException("enough")))));

    assertThat(failure).hasMessage("enough");
    assertThat(database.sql("SELECT note FROM notes"))
        .singleElement()
        .extracting(row -> row.getString("note"))
        .isEqualTo("kept");
  }

  @Test
  void the_loss_of_a_connection_in_a_transaction_is_told_by_the_statement_alone() {
    Throwable failure = Database.failure(HeldConnections.transaction(
        pool, connection -> lost(connection).compose(gone -> note(connection, "never"))));

    assertThat(PgFailures.of("noting", failure).code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(printed.text()).doesNotContain(PgException.class.getName());
  }

  @Test
  void without_it_the_driver_prints_the_loss() {
    Database.failure(pool.withTransaction(
        connection -> lost(connection).compose(gone -> note(connection, "never"))));

    assertThat(printed.text()).contains(PgException.class.getName());
  }

  /** Completes when the connection knows that its backend has ended. */
  private Future<Void> lost(SqlConnection connection) {
    Promise<Void> closed = Promise.promise();
    connection.closeHandler(gone -> closed.complete());
    return connection
        .query("SELECT pg_backend_pid() AS pid")
        .execute()
        .map(rows -> rows.iterator().next().getInteger("pid"))
        .compose(
            pid -> pool.preparedQuery("SELECT pg_terminate_backend($1)").execute(Tuple.of(pid)))
        .compose(ended -> closed.future());
  }

  private static Future<Void> note(SqlClient client, String text) {
    return client
        .preparedQuery("INSERT INTO notes VALUES ($1)")
        .execute(Tuple.of(text))
        .mapEmpty();
  }
}
