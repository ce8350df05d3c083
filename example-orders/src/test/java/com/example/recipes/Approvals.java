package com.example.recipes;

import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.storage.pg.PgStorageAdapter;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;

/** Stores that a transfer was approved, together with the run that makes it. */
final class Approvals {
  static final TaskDescription<String> PAY = Task.define("transfers.pay", String.class)
      .idempotencyKey(transfer -> transfer)
      .description();

  private final Pool pool;
  private final PgStorageAdapter storage;
  private final Runlane runlane;

  Approvals(Pool pool, PgStorageAdapter storage, Runlane runlane) {
    this.pool = pool;
    this.storage = storage;
    this.runlane = runlane;
  }

  Future<Boolean> approve(String transfer) {
    return pool.withTransaction(transaction -> transaction
            .preparedQuery(
                "UPDATE transfers SET state = 'approved' WHERE id = $1 AND state = 'asked'")
            .execute(Tuple.of(transfer))
            .compose(updated -> updated.rowCount() == 0
                ? Future.succeededFuture(false) // answered before, or its time was over
                : runlane
                    .inTransaction(storage.on(transaction))
                    .trigger(PAY, transfer)
                    .map(true)))
        .onSuccess(committed -> runlane.wake());
  }
}
