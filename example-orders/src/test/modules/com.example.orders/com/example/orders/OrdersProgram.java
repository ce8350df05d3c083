package com.example.orders;

import static java.util.concurrent.TimeUnit.SECONDS;

import dev.runlane.lane.Lanes;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgConnectOptions;
import java.time.Duration;

/** Posts an order and says how its run ended. */
public final class OrdersProgram {
  private OrdersProgram() {}

  /** Takes the database's address and a port that is free. */
  public static void main(String[] arguments) throws Exception {
    PgConnectOptions database = PgConnectOptions.fromUri(arguments[0]);
    int port = Integer.parseInt(arguments[1]);
    Vertx vertx = Vertx.vertx();
    vertx.deployVerticle(new OrdersVerticle(database, port)).await(60, SECONDS);
    JsonObject accepted = vertx
        .createHttpClient()
        .request(HttpMethod.POST, port, "localhost", "/orders")
        .compose(request -> request.send("{\"id\":\"o1\",\"cents\":500}"))
        .compose(HttpClientResponse::body)
        .map(Buffer::toJsonObject)
        .await(30, SECONDS);

    PgStorageAdapter storage =
        PgStorageAdapter.create(vertx, new PgStorageOptions().setConnectOptions(database));
    Runlane reader = Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .queue(TaskQueue.of("nothing"))
        .build();
    reader.start().await(30, SECONDS);
    System.out.println("the run has "
        + reader
            .awaitRun(accepted.getString("run"), Duration.ofSeconds(30))
            .await(60, SECONDS)
            .status());
    reader.close().await(30, SECONDS);
    vertx.close().await(30, SECONDS);
  }
}
