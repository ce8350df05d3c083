package dev.runlane.storage.pg;

import dev.runlane.postgres.ConnectionBounds;
import dev.runlane.postgres.PgConnections;
import dev.runlane.postgres.PgTuning;
import dev.runlane.postgres.statement.BoundStatements;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.storage.pg.row.PgSession;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the indexes that migrations left out because a table was not small, beside
 * readers and writers. One that a killed process left unfinished is dropped and made anew. Statements are right without
 * them, so nothing waits for this, and what fails is tried again by the next process that starts. Drops those that no
 * statement of this release follows once no process of the release before lives.
 */
final class LateIndexes {
  private static final Logger LOG = LoggerFactory.getLogger(LateIndexes.class);
  private static final List<Index> INDEXES = List.of(
      Index.of("active_runs_due_task"),
      Index.of("active_runs_due_task_bounded"),
      Index.of("schedule_occurrences_fires"),
      Index.of("outbox_messages_failed"));
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
                  .texts("successors", Superseded::successor)));
  private static final SqlStatement<List<Index>> UNSETTLED = SqlStatement.of(
      "unsettled_indexes",
      new Parameters<List<Index>>()
          .rows(indexes -> indexes, new Columns<Index>().texts("indexes", Index::name))
          .texts(
              "superseded", indexes -> SUPERSEDED.stream().map(Superseded::name).toList()));
  private static final SqlStatement<Index> FIND =
      SqlStatement.of("late_index", new Parameters<Index>().value("index_name", Index::name));
  private static final SqlStatement<@Nullable Void> TAKE_TIME = SqlStatement.plain("take_time");

  static final List<SqlStatement<?>> STATEMENTS = Stream.concat(
          Stream.of(UNSETTLED, FIND, FIND_SUPERSEDED, TAKE_TIME),
          Stream.concat(
              INDEXES.stream().flatMap(index -> Stream.of(index.drop(), index.make())),
              SUPERSEDED.stream().map(Superseded::drop)))
      .toList();

  /** An index that takes longer is taken for one whose answer does not come. */
  private static final ConnectionBounds BOUNDS =
      ConnectionBounds.of(Duration.ofHours(6), ConnectionBounds.DEFAULT_CLOSE_TIMEOUT);

  private final BoundStatements statements;
  private final String schema;

  LateIndexes(BoundStatements statements, String schema) {
    this.statements = statements;
    this.schema = schema;
  }

  /** Whether nothing is left to be made or dropped. */
  Future<Boolean> areSettled(PgSession session) {
    return session
        .execute(UNSETTLED, INDEXES)
        .map(rows -> rows.iterator().next().getLong(0) == 0);
  }

  /** The same over a connection of its own. */
  Future<Boolean> areSettled(Vertx vertx, PgConnectOptions options) {
    return PgConnections.connect(vertx, PgTuning.plain(options), BOUNDS)
        .compose(connection -> statements
            .get(UNSETTLED)
            .execute(connection, INDEXES)
            .map(rows -> rows.iterator().next().getLong(0) == 0)
            .eventually(connection::close));
  }

  /** Completes when the indexes are there, or another process makes them; fails as Postgres does. */
  Future<Void> make(Vertx vertx, PgConnectOptions options) {
    return PgConnections.connect(vertx, PgTuning.plain(options), BOUNDS).compose(connection -> {
      Future<Void> made = execute(connection, TAKE_TIME);
      for (Index index : INDEXES) {
        made = made.compose(before -> make(connection, index));
      }
      return made.eventually(connection::close);
    });
  }

  /**
   * Drops the indexes that no statement of this release follows and whose successors are whole. Completes with whether
   * nothing is left to be dropped: false while a process lives whose release follows them, or a successor is not made.
   */
  Future<Boolean> dropSuperseded(Vertx vertx, PgConnectOptions options) {
    return PgConnections.connect(vertx, PgTuning.plain(options), BOUNDS)
        .compose(connection -> statements
            .get(FIND_SUPERSEDED)
            .execute(connection, SUPERSEDED)
            .compose(rows -> {
              Row found = rows.iterator().next();
              Set<String> ready = Set.of(found.getArrayOfStrings(0));
              return drop(connection, ready).map(found.getLong(1) == ready.size());
            })
            .eventually(connection::close));
  }

  private Future<Void> drop(SqlConnection connection, Set<String> ready) {
    Future<Void> dropped =
        ready.isEmpty() ? Future.succeededFuture() : execute(connection, TAKE_TIME);
    for (Superseded index : SUPERSEDED) {
      if (ready.contains(index.name())) {
        LOG.info("schema {}: dropping index {}, which nothing reads", schema, index.name());
        dropped = dropped.compose(before -> execute(connection, index.drop()));
      }
    }
    return dropped;
  }

  private Future<Void> make(SqlConnection connection, Index index) {
    return statements.get(FIND).execute(connection, index).compose(rows -> {
      Iterator<Row> found = rows.iterator();
      if (!found.hasNext()) {
        return create(connection, index);
      }
      Row state = found.next();
      boolean settled = state.getBoolean(0) || Boolean.TRUE.equals(state.getBoolean(1));
      return settled
          ? Future.succeededFuture()
          : execute(connection, index.drop()).compose(dropped -> create(connection, index));
    });
  }

  private Future<Void> create(SqlConnection connection, Index index) {
    LOG.info("schema {}: making index {} beside readers and writers", schema, index.name());
    return execute(connection, index.make());
  }

  private Future<Void> execute(SqlConnection connection, SqlStatement<@Nullable Void> statement) {
    return connection.query(statements.get(statement).sql()).execute().mapEmpty();
  }

  private record Index(
      String name, SqlStatement<@Nullable Void> drop, SqlStatement<@Nullable Void> make) {
    static Index of(String name) {
      return new Index(
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
