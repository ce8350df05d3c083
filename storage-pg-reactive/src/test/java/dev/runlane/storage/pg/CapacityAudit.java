package dev.runlane.storage.pg;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import java.util.ArrayList;
import java.util.List;

/**
 * Holds a schema to what its migration promises of capacity rows: {@code used} is the number of active runs
 * of the partition that occupy a slot, in every committed state.
 */
final class CapacityAudit {
  private static final String DIFFERENCES = """
      SELECT env, queue, partition, c.used, count(a.run_id)::integer AS occupying
      FROM {schema}.queue_capacity c
      FULL JOIN (SELECT env, queue, partition, run_id FROM {schema}.active_runs WHERE occupies) a
        USING (env, queue, partition)
      GROUP BY env, queue, partition, c.used
      HAVING c.used IS DISTINCT FROM count(a.run_id)::integer
      """;

  private CapacityAudit() {}

  /** The same on a connection of its own. */
  static Future<Void> check(Vertx vertx, PgConnectOptions database, String schema) {
    return PgConnection.connect(vertx, database)
        .compose(connection -> check(connection, schema).eventually(connection::close));
  }

  /** Fails, naming the partitions, where a capacity row and the runs disagree. */
  static Future<Void> check(SqlClient database, String schema) {
    return database.query(DIFFERENCES.replace("{schema}", schema)).execute().compose(rows -> {
      List<String> differences = new ArrayList<>();
      for (Row row : rows) {
        differences.add(row.toJson().encode());
      }
      return differences.isEmpty()
          ? Future.succeededFuture()
          : Future.failedFuture(new AssertionError("capacity rows are wrong: " + differences));
    });
  }
}
