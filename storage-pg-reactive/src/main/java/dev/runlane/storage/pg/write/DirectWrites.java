package dev.runlane.storage.pg.write;

import dev.runlane.postgres.PgFailures;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Commands on one connection, inside the transaction its owner has begun; each is sent alone and at once.
 * A creation with ownership keys or tags runs behind a savepoint: losing a race rolls back to it, and the owner's
 * transaction goes on.
 *
 * <p>A transaction that the owner began through the driver ({@link SqlConnection#begin()}) is lost with the first
 * statement that fails: the driver rolls it back when it is to be committed, whatever was rolled back to. There a
 * failure is handed on at once, and whoever owns the transaction tries all of it again.
 */
public final class DirectWrites implements Writes {
  private static final int MOST_TRIES = 3;

  private final SqlConnection connection;
  private final ScopeStatements statements;

  public DirectWrites(SqlConnection connection, ScopeStatements statements) {
    this.connection = connection;
    this.statements = statements;
  }

  @Override
  public Future<AppendedRun> create(AppendRunEvents command) {
    return Creations.isKeyed(command) || Creations.isTagged(command)
        ? createBehindSavepoint(command, 1)
        : single("appendRunEvents", statements.creations().executeJoined(command));
  }

  @Override
  public Future<AppendedRun> append(Append command) {
    return single("appendRunEvents", statements.appends().any().execute(List.of(command)));
  }

  @Override
  public Future<Optional<AppendedRun>> acquire(Acquire command) {
    return single("claimRunLease", statements.acquisitions().executePrepared(List.of(command)));
  }

  /** As {@link #acquire}, but waits for whoever holds the partition's capacity row at the moment. */
  Future<Optional<AppendedRun>> acquireAfterWaiting(Acquire command) {
    return statements
        .acquisitions()
        .awaitPartition(command)
        .recover(PgFailures.during("appendRunEvents"))
        .compose(held -> acquire(command));
  }

  /** Does all of the work or nothing of it, and leaves a transaction begun by SQL usable either way. */
  public <R> Future<R> behindSavepoint(Supplier<Future<R>> work) {
    return connection
        .query("SAVEPOINT runlane_work")
        .execute()
        .compose(saved -> work.get())
        .transform((result, failure) -> failure == null
            ? connection.query("RELEASE SAVEPOINT runlane_work").execute().map(result)
            : connection
                .query("ROLLBACK TO SAVEPOINT runlane_work")
                .execute()
                .transform((undone, second) ->
                    Future.failedFuture(PgFailures.of("appendRunEvents", failure))));
  }

  @Override
  public Future<Boolean> markPublished(MarkOutboxMessagesPublished command) {
    return single("markOutboxMessagesPublished", statements.outbox().execute(List.of(command)));
  }

  private Future<AppendedRun> createBehindSavepoint(AppendRunEvents command, int tries) {
    return connection
        .query("SAVEPOINT runlane_creation")
        .execute()
        .compose(saved -> statements.creations().executeJoined(command))
        .transform((outcomes, failure) -> {
          if (failure == null) {
            return release().compose(released -> single(outcomes));
          }
          return rollBack()
              .compose(undone -> maySendAgain(failure, tries)
                  ? createBehindSavepoint(command, tries + 1)
                  : Future.failedFuture(PgFailures.of("appendRunEvents", failure)));
        });
  }

  private boolean maySendAgain(Throwable failure, int tries) {
    return connection.transaction() == null
        && PgFailures.mayBeSentAgain(failure)
        && tries < MOST_TRIES;
  }

  private Future<Void> release() {
    return connection.query("RELEASE SAVEPOINT runlane_creation").execute().mapEmpty();
  }

  private Future<Void> rollBack() {
    return connection.query("ROLLBACK TO SAVEPOINT runlane_creation").execute().mapEmpty();
  }

  private static <R> Future<R> single(String operation, Future<List<CommandOutcome<R>>> outcomes) {
    return outcomes.recover(PgFailures.during(operation)).compose(DirectWrites::single);
  }

  private static <R> Future<R> single(List<CommandOutcome<R>> outcomes) {
    CommandOutcome<R> outcome = outcomes.get(0);
    if (outcome instanceof CommandOutcome.Succeeded<R> succeeded) {
      return Future.succeededFuture(succeeded.result());
    }
    return Future.failedFuture(((CommandOutcome.Failed<R>) outcome).failure());
  }
}
