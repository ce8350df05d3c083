package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.pg.PgValues.instantOrNull;
import static dev.runlane.connector.store.pg.PgValues.utc;

import dev.runlane.connector.store.HistoryQuery;
import dev.runlane.connector.store.RecordedRun;
import dev.runlane.connector.store.RunHistory;
import dev.runlane.connector.store.RunStats;
import dev.runlane.connector.store.RunStatus;
import dev.runlane.connector.store.StoreChecks;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The history in Postgres. */
final class PgHistory implements RunHistory {
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
            query.instanceId() == null ? "history" : "history_of_instance",
            parameters(session.env(), query),
            HistoryRows::read));
  }

  private static Tuple parameters(int env, HistoryQuery query) {
    Long before = query.before();
    Tuple parameters = Tuple.of(env, before == null ? Long.MAX_VALUE : before)
        .addArrayOfString(query.statuses().stream().map(RunStatus::value).toArray(String[]::new))
        .addLong((long) query.limit());
    return query.instanceId() == null ? parameters : parameters.addString(query.instanceId());
  }

  @Override
  public Future<RunStats> stats(String instanceId) {
    return calls.statement(
        "stats",
        () -> StoreChecks.requireInstance(instanceId),
        session -> stats(session, instanceId));
  }

  private static Future<RunStats> stats(PgSession session, String instanceId) {
    return session
        .first("stats", Tuple.of(session.env(), instanceId), row -> row)
        .compose(found -> {
          if (found.isEmpty()) {
            return Future.succeededFuture(RunStats.NONE);
          }
          Row row = found.get();
          Long last = row.getLong("last_history_seq");
          Future<Optional<RecordedRun>> lastRun = last == null
              ? Future.succeededFuture(Optional.empty())
              : session.first("history_entry", Tuple.of(session.env(), last), HistoryRows::read);
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
        session -> session.update(
            "prune_history",
            Tuple.of(session.env(), utc(olderThan), (long) limit, HistoryQuery.MOST_ENTRIES)));
  }
}
