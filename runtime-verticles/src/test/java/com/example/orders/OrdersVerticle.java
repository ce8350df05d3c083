package com.example.orders;

import dev.runlane.lane.Lanes;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgConnectOptions;

/** Takes orders over HTTP and charges them in the background, whatever crashes meanwhile. */
public final class OrdersVerticle extends VerticleBase {
  private static final TaskQueue PAYMENTS =
      TaskQueue.of("payments").concurrencyLimit(10).asDefault();

  private final Task<Order> charge = Task.define("orders.charge", Order.class)
      .queue(PAYMENTS)
      .idempotencyKey(Order::id) // an order posted twice is charged once
      .retry(RetryPolicy.attempts(5))
      .handler((order, context) -> callPaymentProvider(order).map(TaskResult::done));

  private final PgConnectOptions database;
  private final int port;
  private Runlane runlane;

  public OrdersVerticle(PgConnectOptions database, int port) {
    this.database = database;
    this.port = port;
  }

  @Override
  public Future<?> start() {
    PgStorageAdapter storage =
        PgStorageAdapter.create(vertx, new PgStorageOptions().setConnectOptions(database));
    runlane = Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .queue(PAYMENTS)
        .task(charge)
        .build();
    return runlane
        .deploy(vertx, new RunlaneDeployment()) // workers and all maintenance
        .compose(
            deployed -> vertx.createHttpServer().requestHandler(this::postOrder).listen(port));
  }

  @Override
  public Future<?> stop() {
    return runlane.close();
  }

  private void postOrder(HttpServerRequest request) {
    request
        .body()
        .map(body -> body.toJsonObject().mapTo(Order.class))
        .compose(order -> runlane.trigger(charge, order))
        .compose(triggered -> request
            .response()
            .setStatusCode(202)
            .end(new JsonObject()
                .put("run", triggered.run().id())
                .put("outcome", triggered.outcome().value())
                .toBuffer()))
        .onFailure(failure -> request
            .response()
            .setStatusCode(500)
            .end(Buffer.buffer(String.valueOf(failure.getMessage()))));
  }

  private Future<String> callPaymentProvider(Order order) {
    return Future.succeededFuture("receipt for " + order.id());
  }

  /** What is charged. */
  public record Order(String id, int cents) {}
}
