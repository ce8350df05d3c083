package dev.runlane.connector.controller;

import dev.runlane.connector.store.pg.PgConnectorStore;
import dev.runlane.connector.store.run.ActiveRuns;
import dev.runlane.connector.store.run.BeginOutcome;
import dev.runlane.connector.store.run.BeginRun;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.TransactionTriggers;
import dev.runlane.storage.StorageAdapter;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.function.Function;

/**
 * Accepts runs: the active-run row, which is the connector's lock, and the durable run that will launch it. There is
 * never one without the other.
 */
public interface RunAdmission {
  /**
   * Accepts a run unless its connection has one.
   *
   * @param creation creates the run on the runtime's storage
   */
  Future<BeginOutcome> admit(BeginRun command, Runlane runlane, RunCreation creation);

  /**
   * Both in one Postgres transaction.
   *
   * @param storage the runtime's storage joined to a transaction, such as {@code pgStorage::on}
   */
  static RunAdmission inTransaction(
      PgConnectorStore store, Function<SqlConnection, StorageAdapter> storage) {
    return (command, runlane, creation) -> store.beginWith(
        command, connection -> creation.create(runlane.inTransaction(storage.apply(connection))));
  }

  /**
   * The row first, then the run, for stores that share no transaction. A process that dies between the two leaves a
   * row that the next start of the controller on its machine ends, or any controller after five minutes; a creation
   * that fails fails the call, and the controller ends the run, as one that could not be launched, at its next look
   * for runs that nobody owns.
   *
   * @param storage the runtime's storage
   */
  static RunAdmission serialized(ActiveRuns activeRuns, StorageAdapter storage) {
    return (command, runlane, creation) -> activeRuns
        .begin(command)
        .compose(begun -> begun instanceof BeginOutcome.Begun
            ? creation.create(runlane.inTransaction(storage)).map(begun)
            : Future.succeededFuture(begun));
  }

  /** Creates the durable run. */
  @FunctionalInterface
  interface RunCreation {
    /** Triggers the run's task inside the caller's transaction. */
    Future<Void> create(TransactionTriggers triggers);
  }
}
