package dev.runlane.benchmarks.measure;

import io.vertx.core.json.JsonObject;
import java.util.Map;

/** What the statements of a round read and how many there were, as {@code pg_stat_statements} tells it. */
public final class Statements {
  /** What the server must be started with. */
  public static final Map<String, String> SETTINGS =
      Map.of("shared_preload_libraries", "pg_stat_statements");

  private static final String OF_THIS_DATABASE =
      " FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())";

  private Statements() {}

  /** Counts from now on. */
  public static void begin(Sql sql) {
    sql.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
    sql.execute("SELECT pg_stat_statements_reset()");
  }

  /** Since then, a run. */
  public static JsonObject since(Sql sql, int runs) {
    double blocks =
        sql.number("SELECT sum(shared_blks_hit + shared_blks_read)::bigint" + OF_THIS_DATABASE);
    double calls = sql.number("SELECT sum(calls)::bigint" + OF_THIS_DATABASE);
    return new JsonObject()
        .put("blocksPerRun", blocks / runs)
        .put("statementsPerRun", calls / runs);
  }
}
