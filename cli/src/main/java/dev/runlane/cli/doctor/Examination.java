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
import org.jspecify.annotations.Nullable;

/**
 * What checks look at: one connection, and how more are made.
 *
 * @param connection what statements are read on
 * @param asked what statements are asked with
 */
record Examination(
    Vertx vertx,
    DatabaseOptions.Settings settings,
    Clock clock,
    BoundStatements statements,
    PgConnection connection,
    Asked asked) {
  private static final Duration STATEMENT = Duration.ofSeconds(30);

  static Future<PgConnection> connect(Vertx vertx, DatabaseOptions.Settings settings) {
    return PgConnections.connect(
        vertx,
        settings.connect(),
        ConnectionBounds.of(STATEMENT, ConnectionBounds.DEFAULT_CLOSE_TIMEOUT));
  }

  /** All rows of a statement, each as what is made of it. */
  <T> Future<List<T>> rows(SqlStatement<Asked> statement, Function<Row, T> made) {
    return statements.get(statement).execute(connection, asked).map(rows -> {
      List<T> all = new ArrayList<>();
      rows.forEach(row -> all.add(made.apply(row)));
      return all;
    });
  }

  /** The one row of a statement that has always one. */
  Future<Row> row(SqlStatement<Asked> statement) {
    return statements.get(statement).execute(connection, asked).map(rows -> rows.iterator()
        .next());
  }

  /** The same of a statement that is asked with nothing. */
  Future<Row> plainRow(SqlStatement<@Nullable Void> statement) {
    return statements.get(statement).execute(connection).map(rows -> rows.iterator()
        .next());
  }

  /** The schema, as SQL. */
  String schema() {
    return new SchemaName(asked.schema()).sql();
  }

  static Instant instant(Row row, String column) {
    return row.getOffsetDateTime(column).toInstant();
  }
}
