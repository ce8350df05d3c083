package dev.runlane.storage.pg;

import dev.runlane.postgres.ConnectionBounds;
import dev.runlane.postgres.PgConnections;
import dev.runlane.postgres.PgTuning;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.storage.pg.row.ServerStatements;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the indexes that migrations left out because a table was not small, beside readers and writers, and drops those
 * that no statement of this release follows once no process of the release before lives. Statements are right either
 * way, so nothing waits for this.
 *
 * <p>Two that make indexes of one table at once end in a deadlock, and one that drops what another has not finished
 * undoes its work. So whoever does either holds an advisory lock of the schema while its connection lasts, and who
 * finds it held touches nothing. Somebody who does not know that lock, such as a process of the release before or a
 * person with psql, is told by the lock on the table. What is unfinished although nobody is at it was left by a process
 * that died, and is made anew.
 */
final class LateIndexes {
  private static final Logger LOG = LoggerFactory.getLogger(LateIndexes.class);
  private static final String ACTIVE_RUNS = "active_runs";
  private static final List<Index> INDEXES = List.of(
      Index.of(ACTIVE_RUNS, "active_runs_due_task"),
      Index.of(ACTIVE_RUNS, "active_runs_due_task_bounded"),
      Index.of("schedule_occurrences", "schedule_occurrences_fires"),
      Index.of("outbox_messages", "outbox_messages_failed"));
  private static final List<Superseded> SUPERSEDED = List.of(
      Superseded.by("active_runs_due_task", "active_runs_due"),
      Superseded.by("active_runs_due_task_bounded", "active_runs_due_bounded"));
  private static final SqlStatement<List<Superseded>> FIND_SUPERSEDED = SqlStatement.of(
      "superseded_indexes",
      new Parameters<List<Superseded>>()
          .rows(
              indexes -> indexes,
              new Columns<Superseded>()
                  .texts("indexes", Superseded::name)
                  .texts("successors", Superseded::successor))
          .value("table_name", indexes -> ACTIVE_RUNS));
  private static final SqlStatement<List<Index>> UNSETTLED = SqlStatement.of(
      "unsettled_indexes",
      new Parameters<List<Index>>()
          .rows(indexes -> indexes, new Columns<Index>().texts("indexes", Index::name))
          .texts(
              "superseded", indexes -> SUPERSEDED.stream().map(Superseded::name).toList()));
  private static final SqlStatement<Index> FIND = SqlStatement.of(
      "late_index",
      new Parameters<Index>().value("index_name", Index::name).value("table_name", Index::table));
  private static final SqlStatement<String> LOCK =
      SqlStatement.of("lock_indexes", new Parameters<String>().value("lock", lock -> lock));
  private static final SqlStatement<@Nullable Void> TAKE_TIME = SqlStatement.plain("take_time");

  static final List<SqlStatement<?>> STATEMENTS = Stream.concat(
          Stream.of(UNSETTLED, LOCK, FIND, FIND_SUPERSEDED, TAKE_TIME),
          Stream.concat(
              INDEXES.stream().flatMap(index -> Stream.of(index.drop(), index.make())),
              SUPERSEDED.stream().map(Superseded::drop)))
      .toList();

  /** An index that takes longer is taken for one whose answer does not come. */
  private static final ConnectionBounds BOUNDS =
      ConnectionBounds.of(Duration.ofHours(6), ConnectionBounds.DEFAULT_CLOSE_TIMEOUT);

  private final ServerStatements statements;
  private final String schema;

  LateIndexes(ServerStatements statements, String schema) {
    this.statements = statements;
    this.schema = schema;
  }

  /** What is left to be made or dropped. Changes nothing. */
  Future<UnsettledIndexes> unsettled(PgSession session) {
    return session.execute(UNSETTLED, INDEXES).map(LateIndexes::unsettled);
  }

  /** The same over a connection of its own. */
  Future<UnsettledIndexes> unsettled(Vertx vertx, PgConnectOptions options) {
    return connected(vertx, options, this::unsettled);
  }

  /**
   * Makes and drops what it may at this moment, and completes with what is left then: all of it where another process
   * is at it, what somebody else makes, and what a process of the release before still follows. Fails as Postgres does.
   * Never to be called through a pooler, which would give the lock and the settings to somebody else.
   */
  Future<UnsettledIndexes> settle(Vertx vertx, PgConnectOptions options) {
    return connected(vertx, options, connection -> unsettled(connection)
        .compose(left -> left.isEmpty()
            ? Future.succeededFuture(left)
            : lock(connection)
                .compose(isLocked ->
                    isLocked ? settle(connection) : Future.succeededFuture(left.busy()))));
  }

  private <T> Future<T> connected(
      Vertx vertx, PgConnectOptions options, Function<SqlConnection, Future<T>> work) {
    return PgConnections.connect(vertx, PgTuning.plain(options), BOUNDS)
        .compose(connection -> work.apply(connection).eventually(connection::close));
  }

  private Future<UnsettledIndexes> unsettled(SqlConnection connection) {
    return statements.get(UNSETTLED).execute(connection, INDEXES).map(LateIndexes::unsettled);
  }

  private static UnsettledIndexes unsettled(RowSet<Row> rows) {
    Row row = rows.iterator().next();
    return new UnsettledIndexes(
        List.of(row.getArrayOfStrings("missing")),
        List.of(row.getArrayOfStrings("superseded")),
        false);
  }

  private Future<Boolean> lock(SqlConnection connection) {
    return statements
        .get(LOCK)
        .execute(connection, "runlane indexes " + schema)
        .map(rows -> rows.iterator().next().getBoolean("is_locked"));
  }

  private Future<UnsettledIndexes> settle(SqlConnection connection) {
    Future<Void> made = execute(connection, TAKE_TIME);
    for (Index index : INDEXES) {
      made = made.compose(before -> make(connection, index));
    }
    return made.compose(all -> dropSuperseded(connection))
        .compose(dropped -> unsettled(connection)); // an index can be there and still not be whole
  }

  private Future<Void> make(SqlConnection connection, Index index) {
    return statements.get(FIND).execute(connection, index).compose(rows -> {
      Row state = rows.iterator().next();
      Boolean isValid = state.getBoolean("is_valid"); // null where there is none
      if (Boolean.TRUE.equals(isValid) || state.getBoolean("is_taken")) {
        return Future.succeededFuture();
      }
      return isValid == null
          ? create(connection, index)
          : execute(connection, index.drop()).compose(dropped -> create(connection, index));
    });
  }

  private Future<Void> create(SqlConnection connection, Index index) {
    LOG.info("schema {}: making index {} beside readers and writers", schema, index.name());
    return execute(connection, index.make());
  }

  private Future<Void> dropSuperseded(SqlConnection connection) {
    return statements.get(FIND_SUPERSEDED).execute(connection, SUPERSEDED).compose(rows -> {
      Set<String> ready = Set.of(rows.iterator().next().getArrayOfStrings("ready"));
      Future<Void> dropped = Future.succeededFuture();
      for (Superseded index : SUPERSEDED) {
        if (ready.contains(index.name())) {
          dropped = dropped.compose(before -> drop(connection, index));
        }
      }
      return dropped;
    });
  }

  private Future<Void> drop(SqlConnection connection, Superseded index) {
    LOG.info("schema {}: dropping index {}, which nothing reads", schema, index.name());
    return execute(connection, index.drop());
  }

  private Future<Void> execute(SqlConnection connection, SqlStatement<@Nullable Void> statement) {
    return connection.query(statements.get(statement).sql()).execute().mapEmpty();
  }

  private record Index(
      String table,
      String name,
      SqlStatement<@Nullable Void> drop,
      SqlStatement<@Nullable Void> make) {
    static Index of(String table, String name) {
      return new Index(
          table,
          name,
          SqlStatement.plain("drop_late_index").variant("index", name),
          SqlStatement.plain("make_" + name));
    }
  }

  private record Superseded(String successor, String name, SqlStatement<@Nullable Void> drop) {
    static Superseded by(String successor, String name) {
      return new Superseded(
          successor, name, SqlStatement.plain("drop_late_index").variant("index", name));
    }
  }
}
