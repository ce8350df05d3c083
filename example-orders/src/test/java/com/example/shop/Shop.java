package com.example.shop;

import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;

import dev.runlane.lane.Lanes;
import dev.runlane.run.Json;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.testinfra.postgres.DataPlace;
import dev.runlane.testinfra.postgres.EmbeddedPostgres;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Charges the orders that are named on its command line, five seconds after they came. */
public final class Shop {
  /** What is charged. */
  public record Order(String id, long cents) {}

  static final Task<Order> CHARGE = Task.define("orders.charge", Order.class)
      .idempotencyKey(Order::id) // the same order twice is one run
      .retry(RetryPolicy.attempts(5)) // a failure is tried again, later and later
      .handler((order, context) -> context
          .step("reserve", () -> reserve(order)) // done once, whatever crashes later
          .compose(reserved -> context.sleep(Duration.ofSeconds(5))) // survives a crash
          .compose(waited -> context.step("charge", String.class, () -> charge(order)))
          .map(TaskResult::done));

  private Shop() {}

  /** Keeps its data in the folder {@code data}, on a Postgres of its own. */
  public static void main(String[] orders) throws Exception {
    try (EmbeddedPostgres postgres =
        EmbeddedPostgres.builder().dataFolder(DataPlace.of(Path.of("data"))).start()) {
      work(PgConnectOptions.fromUri(postgres.address("postgres").toUri()), orders);
    }
  }

  /** Works until each of the orders is charged, or has failed for good. */
  static void work(PgConnectOptions database, String... orders) throws Exception {
    Vertx vertx = Vertx.vertx();
    PgStorageAdapter storage =
        PgStorageAdapter.create(vertx, new PgStorageOptions().setConnectOptions(database));
    Runlane runlane = Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .queue(TaskQueue.of("default").asDefault())
        .task(CHARGE)
        .build();
    try {
      runlane.deploy(vertx, new RunlaneDeployment()).await(1, MINUTES); // tables, workers, sweeps
      List<String> runIds = new ArrayList<>();
      for (String id : orders) {
        TriggerResult order = runlane.trigger(CHARGE, new Order(id, 500)).await(30, SECONDS);
        System.out.println(id + " is stored: " + order.outcome()); // from here on nothing is lost
        runIds.add(order.run().id());
      }
      for (String runId : runIds) {
        RunRecord run = runlane.awaitRun(runId, Duration.ofMinutes(5)).await(6, MINUTES);
        Json receipt = run.output();
        System.out.println(
            runId + " has " + run.status() + " " + (receipt == null ? "" : receipt.text()));
      }
    } finally {
      runlane.close().await(30, SECONDS);
      vertx.close().await(30, SECONDS);
    }
  }

  private static Future<Void> reserve(Order order) {
    System.out.println(order.id() + " is reserved");
    return Future.succeededFuture();
  }

  private static Future<String> charge(Order order) {
    System.out.println(order.id() + " is charged " + order.cents() + " cents");
    return Future.succeededFuture("receipt of " + order.id());
  }
}
