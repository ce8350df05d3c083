package com.example.recipes;

import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.storage.pg.PgStorageAdapter;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;

/** Stores an order and the run that charges it in one transaction. */
public final class Orders {
  static final TaskDescription<String> CHARGE =
      Task.define("orders.charge", String.class).idempotencyKey(order -> order).description();

  private final Pool pool;
  private final PgStorageAdapter storage;
  private final Runlane runlane;

  Orders(Pool pool, PgStorageAdapter storage, Runlane runlane) {
    this.pool = pool;
    this.storage = storage;
    this.runlane = runlane;
  }

  Future<String> accept(String order) {
    return pool.withTransaction(transaction -> transaction
            .preparedQuery("INSERT INTO orders (id) VALUES ($1)")
            .execute(Tuple.of(order))
            .compose(stored -> runlane
                .inTransaction(storage.on(transaction))
                .trigger(CHARGE, order))) // exists if and only if the order does
        .map(triggered -> triggered.run().id())
        .onSuccess(committed -> runlane.wake()); // else the next sweep finds it
  }
}
