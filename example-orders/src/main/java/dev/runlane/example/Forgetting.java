package dev.runlane.example;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;

/** Removes what earlier starts left. */
final class Forgetting {
  private static final String DROP = "DROP SCHEMA IF EXISTS runlane CASCADE";

  private final Vertx vertx;
  private final PgConnectOptions database;

  Forgetting(Vertx vertx, PgConnectOptions database) {
    this.vertx = vertx;
    this.database = new PgConnectOptions(database)
        .addProperty("client_min_messages", "warning"); // not each table that goes with the schema
  }

  Future<Void> forget() {
    return PgConnection.connect(vertx, database)
        .compose(connection ->
            connection.query(DROP).execute().<Void>mapEmpty().eventually(connection::close));
  }
}
