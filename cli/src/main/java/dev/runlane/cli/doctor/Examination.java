package dev.runlane.cli.doctor;

import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.postgres.ConnectionBounds;
import dev.runlane.postgres.PgConnections;
import dev.runlane.postgres.statement.BoundStatements;
import dev.runlane.postgres.statement.SchemaName;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What checks look at: one connection, and how more are made.
 *
 * @param patience how long a statement may take
 * @param connection what statements are read on
 * @param asked what statements are asked with
 */
record Examination(
    Vertx vertx,
    DatabaseOptions.Settings settings,
    Clock clock,
    Duration patience,
    BoundStatements statements,
    PgConnection connection,
    Asked asked) {
  /** Who holds a lock on a whole table holds up everybody: that is a finding, and not waited for. */
  private static final Duration LOCK = Duration.ofSeconds(2);

  /** A connection whose statements end by themselves later than the server should have ended them. */
  static Future<PgConnection> connect(
      Vertx vertx, DatabaseOptions.Settings settings, Duration patience) {
    return PgConnections.connect(
        vertx,
        settings.connect(),
        ConnectionBounds.of(
            patience.plus(ConnectionBounds.BEYOND_STATEMENT_TIMEOUT),
            ConnectionBounds.DEFAULT_CLOSE_TIMEOUT));
  }

  /** The same on another connection. */
  Examination on(PgConnection other) {
    return new Examination(vertx, settings, clock, patience, statements, other, asked);
  }

  /** All rows of a statement, each as what is made of it. */
  <T> Future<List<T>> rows(SqlStatement<Asked> statement, Function<Row, T> made) {
    return bounded(() -> statements.get(statement).execute(connection, asked)).map(rows -> {
      List<T> all = new ArrayList<>();
      rows.forEach(row -> all.add(made.apply(row)));
      return all;
    });
  }

  /** The one row of a statement that has always one. */
  Future<Row> row(SqlStatement<Asked> statement) {
    return bounded(() -> statements.get(statement).execute(connection, asked))
        .map(rows -> rows.iterator().next());
  }

  /** The same of a statement that is asked with nothing. */
  Future<Row> plainRow(SqlStatement<@Nullable Void> statement) {
    return bounded(() -> statements.get(statement).execute(connection))
        .map(rows -> rows.iterator().next());
  }

  /** The time of the database. Reads no table, and nothing is sent beside it that would make the answer late. */
  Future<Instant> now() {
    return statements
        .get(Doctor.CLOCK)
        .execute(connection)
        .map(rows -> instant(rows.iterator().next(), "now"));
  }

  /**
   * In a transaction, whose bounds the server ends it by, so that the connection is of use for the next one; a setting
   * of the session would stay with a pooler's connection.
   */
  private <T> Future<T> bounded(Supplier<Future<T>> statement) {
    return connection
        .query("BEGIN READ ONLY; SET LOCAL lock_timeout = " + LOCK.toMillis()
            + "; SET LOCAL statement_timeout = "
            + Math.min(Integer.MAX_VALUE, patience.toMillis()))
        .execute()
        .compose(begun -> statement.get())
        .eventually(() -> connection.query("ROLLBACK").execute());
  }

  /** The schema, as SQL. */
  String schema() {
    return new SchemaName(asked.schema()).sql();
  }

  static Instant instant(Row row, String column) {
    return row.getOffsetDateTime(column).toInstant();
  }
}
