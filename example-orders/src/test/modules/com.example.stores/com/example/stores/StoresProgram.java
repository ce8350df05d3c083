package com.example.stores;

import static java.util.concurrent.TimeUnit.SECONDS;

import dev.runlane.connector.store.pg.PgConnectorStore;
import dev.runlane.connector.store.pg.PgConnectorStoreOptions;
import dev.runlane.jobs.postgres.PgJobStore;
import dev.runlane.jobs.postgres.PgJobStoreOptions;
import dev.runlane.lane.Lane;
import dev.runlane.steps.sql.SqlStepOptions;
import dev.runlane.steps.sql.SqlStepTransport;
import dev.runlane.storage.memory.MemoryLane;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;

/** Opens and closes one store of each kind. */
public final class StoresProgram {
  private StoresProgram() {}

  /** Takes the database's address. */
  public static void main(String[] arguments) throws Exception {
    PgConnectOptions database = PgConnectOptions.fromUri(arguments[0]);
    Vertx vertx = Vertx.vertx();
    Lane lane = MemoryLane.create();
    lane.start().await(30, SECONDS);
    PgJobStore jobs = PgJobStore.create(vertx, new PgJobStoreOptions().setConnectOptions(database));
    jobs.connect().await(60, SECONDS);
    PgConnectorStore connectors =
        PgConnectorStore.create(vertx, new PgConnectorStoreOptions().setConnectOptions(database));
    connectors.connect().await(60, SECONDS);
    SqlStepTransport steps = SqlStepTransport.postgres(vertx, database, new SqlStepOptions());
    steps.close().await(30, SECONDS);
    connectors.close().await(30, SECONDS);
    jobs.disconnect().await(30, SECONDS);
    lane.close().await(30, SECONDS);
    vertx.close().await(30, SECONDS);
    System.out.println("every store was open");
  }
}
