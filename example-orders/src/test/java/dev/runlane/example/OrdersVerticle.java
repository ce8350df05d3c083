package dev.runlane.example;

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
import io.vertx.core.http.HttpServerRequest;
import io.vertx.pgclient.PgConnectOptions;

/** Charges orders that arrive over HTTP. */
public class OrdersVerticle extends VerticleBase {
  public record Purchase(String id, long amountCents) {}

  private final Task<Purchase> charge = Task.define("orders.charge", Purchase.class)
      // the same order twice is one run, for 30 days and unless that fails: see pay
      .idempotencyKey(Purchase::id)
      .retry(RetryPolicy.attempts(5)) // a failure is tried again, later and later
      .handler((order, context) -> pay(order).map(TaskResult.done()));

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
        .queue(TaskQueue.of("default").asDefault())
        .task(charge)
        .build();
    return runlane
        .deploy(vertx, new RunlaneDeployment()) // makes the tables, starts the workers
        .compose(
            deployed -> vertx.createHttpServer().requestHandler(this::order).listen(port))
        .onFailure(taken -> runlane.close()); // else its workers would stay
  }

  private void order(HttpServerRequest request) {
    request
        .body()
        .map(body -> body.toJsonObject().mapTo(Purchase.class))
        .compose(order -> runlane.trigger(charge, order)) // from here on nothing is lost
        .onSuccess(
            result -> request.response().setStatusCode(202).end(result.run().id()))
        .onFailure(failure -> request.response().setStatusCode(500).end());
  }

  private Future<Void> pay(Purchase order) {
    return Future.succeededFuture(); // call the payment provider here, under a key of the order
  }

  @Override
  public Future<?> stop() {
    return runlane.close();
  }
}
