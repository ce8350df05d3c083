package com.example.connectors;

import dev.runlane.connector.controller.*;
import dev.runlane.connector.controller.registry.*;
import dev.runlane.connector.server.*;
import dev.runlane.connector.store.pg.*;
import dev.runlane.lane.Lanes;
import dev.runlane.storage.pg.*;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import java.nio.file.Path;
import java.util.Objects;

/** ConnectorsProgram FOLDER PORT: runs the folder's connectors for their owner. */
public final class ConnectorsProgram {
  public static void main(String[] arguments) {
    Vertx vertx = Vertx.vertx();
    var database = PgConnectOptions.fromUri(variable("RUNLANE_SECRET__DATABASE"));
    var store =
        PgConnectorStore.create(vertx, new PgConnectorStoreOptions().setConnectOptions(database));
    var storage =
        PgStorageAdapter.create(vertx, new PgStorageOptions().setConnectOptions(database));
    var lane = Lanes.create(storage, storage.notifyTransport());
    var options = new ConnectorServerOptions()
        .setConnectors(ConnectorRegistry.read(Path.of(arguments[0])))
        .setSecrets(SecretSource.environment(System.getenv()))
        .setController(new ConnectorControllerOptions().setHostEnvironment(System.getenv()))
        .setPort(Integer.parseInt(arguments[1]))
        .setOwnerToken(variable("RUNLANE_SECRET__OWNER_TOKEN"));
    var server = new ConnectorServer(vertx, store, lane, storage::on, options);
    server
        .start()
        .onSuccess(port -> System.out.println("http://127.0.0.1:" + port + "/_ref"))
        .onFailure(failure -> {
          System.err.println(failure.getMessage());
          vertx.close();
        });
    Runtime.getRuntime().addShutdownHook(new Thread(() -> server.close().await()));
  }

  private static String variable(String name) {
    return Objects.requireNonNull(System.getenv(name), name + " is not set");
  }
}
