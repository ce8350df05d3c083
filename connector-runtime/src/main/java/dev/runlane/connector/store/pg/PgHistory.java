package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.pg.PgValues.instantOrNull;

import dev.runlane.connector.store.StoreChecks;
import dev.runlane.connector.store.history.HistoryQuery;
import dev.runlane.connector.store.history.RecordedRun;
import dev.runlane.connector.store.history.RunHistory;
import dev.runlane.connector.store.history.RunStats;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The history in Postgres. */
final class PgHistory implements RunHistory {
  private static final Parameters<HistoryQuery> OF_QUERY = new Parameters<HistoryQuery>()
      .value("before", query -> query.before() == null ? Long.MAX_VALUE : query.before())
      .texts(
          "statuses", query -> query.statuses().stream().map(RunStatus::value).toList())
      .value("limit", query -> (long) query.limit());
  private static final Parameters<HistoryQuery> OF_PAGE =
      OF_QUERY.value("most_bytes", query -> HistoryQuery.MOST_BYTES);
  private static final SqlStatement<PgSession.Given<String>> STATS =
      PgSession.statement("stats", PgStatements.OF_INSTANCE);
  private static final SqlStatement<PgSession.Given<Long>> ENTRY = PgSession.statement(
      "history_entry", new Parameters<Long>().value("history_seq", sequence -> sequence));

  static final SqlStatement<PgSession.Given<HistoryQuery>> LIST =
      PgSession.statement("history", OF_PAGE);
  static final SqlStatement<PgSession.Given<HistoryQuery>> LIST_OF_INSTANCE = PgSession.statement(
      "history_of_instance", OF_PAGE.value("instance_id", HistoryQuery::instanceId));
  static final SqlStatement<PgSession.Given<HistoryQuery>> OUTCOMES =
      PgSession.statement("outcomes", OF_QUERY.value("instance_id", HistoryQuery::instanceId));
  static final SqlStatement<PgSession.Given<PgStatements.Old>> PRUNE = PgSession.statement(
      "prune_history", PgStatements.Old.PARAMETERS.value("kept", old -> HistoryQuery.MOST_ENTRIES));

  static final List<SqlStatement<?>> STATEMENTS =
      List.of(STATS, ENTRY, LIST, LIST_OF_INSTANCE, OUTCOMES, PRUNE);

  private final PgCalls calls;

  PgHistory(PgCalls calls) {
    this.calls = calls;
  }

  @Override
  public Future<List<RecordedRun>> list(HistoryQuery query) {
    return calls.statement(
        "list",
        () -> StoreChecks.requireHistory(query),
        session -> session.list(
            query.instanceId() == null ? LIST : LIST_OF_INSTANCE, query, HistoryRows::read));
  }

  @Override
  public Future<List<RecordedRun>> outcomes(String instanceId, Set<RunStatus> statuses, int limit) {
    HistoryQuery query = new HistoryQuery(instanceId, statuses, null, limit);
    return calls.statement(
        "outcomes",
        () -> StoreChecks.requireHistory(query),
        session -> session.list(OUTCOMES, query, HistoryRows::read));
  }

  @Override
  public Future<RunStats> stats(String instanceId) {
    return calls.statement(
        "stats",
        () -> StoreChecks.requireInstance(instanceId),
        session -> stats(session, instanceId));
  }

  private static Future<RunStats> stats(PgSession session, String instanceId) {
    return session.first(STATS, instanceId, row -> row).compose(found -> {
      if (found.isEmpty()) {
        return Future.succeededFuture(RunStats.NONE);
      }
      Row row = found.get();
      Long last = row.getLong("last_history_seq");
      Future<Optional<RecordedRun>> lastRun = last == null
          ? Future.succeededFuture(Optional.empty())
          : session.first(ENTRY, last, HistoryRows::read);
      return lastRun.map(run -> read(row, run));
    });
  }

  private static RunStats read(Row row, Optional<RecordedRun> lastRun) {
    return new RunStats(
        row.getLong("total_runs"),
        row.getLong("succeeded"),
        row.getLong("failed"),
        row.getLong("total_records"),
        instantOrNull(row, "last_started_at"),
        instantOrNull(row, "last_finished_at"),
        instantOrNull(row, "last_successful_at"),
        lastRun);
  }

  @Override
  public Future<Integer> pruneEntries(Instant olderThan, int limit) {
    return calls.statement(
        "pruneEntries",
        () -> StoreChecks.requirePrune(limit),
        session -> session.update(PRUNE, new PgStatements.Old(olderThan, limit)));
  }
}
