package dev.runlane.connector.controller;

import dev.runlane.testinfra.postgres.PostgresAddress;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.Map;
import java.util.TreeMap;

/** What a schema holds. */
final class StoredRows {
  private StoredRows() {}

  /** Every row of every table, as text, by table. */
  static Map<String, String> of(Vertx vertx, PostgresAddress database, String schema) {
    return OwnerHost.await(PgConnection.connect(vertx, PgConnectOptions.fromUri(database.toUri()))
        .compose(connection -> read(connection, schema).eventually(connection::close)));
  }

  private static Future<Map<String, String>> read(PgConnection connection, String schema) {
    Map<String, String> rows = new TreeMap<>();
    return connection
        .preparedQuery(
            "SELECT table_name::text FROM information_schema.tables WHERE table_schema = $1")
        .execute(Tuple.of(schema))
        .compose(tables -> {
          Future<?> read = Future.succeededFuture();
          for (Row table : tables) {
            String name = table.getString(0);
            read = read.compose(before -> connection
                .query("SELECT coalesce(string_agg(t::text, ' ' ORDER BY t::text), '') FROM "
                    + schema + "." + name + " t")
                .execute()
                .map(found -> rows.put(name, found.iterator().next().getString(0))));
          }
          return read.map(rows);
        });
  }
}
