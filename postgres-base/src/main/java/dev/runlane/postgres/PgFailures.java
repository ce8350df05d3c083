package dev.runlane.postgres;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import io.vertx.core.Future;
import io.vertx.core.VertxException;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.pgclient.PgException;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * Turns failures of the driver into ours, by SQLSTATE and name of the constraint, never by message text.
 * The codes are those of <a href="https://www.postgresql.org/docs/current/errcodes-appendix.html">
 * PostgreSQL's appendix A</a>.
 */
public final class PgFailures {
  /** The same for whoever serves several databases. */
  public static final StatementFailures OF_POSTGRES = new StatementFailures() {
    @Override
    public RunlaneException of(String operation, Throwable failure) {
      return PgFailures.of(operation, failure);
    }

    @Override
    public boolean mayBeSentAgain(Throwable failure) {
      return PgFailures.mayBeSentAgain(failure);
    }

    @Override
    public boolean isRolledBack(Throwable failure) {
      return PgFailures.isRolledBack(failure);
    }
  };

  private static final String LOCK_NOT_AVAILABLE = "55P03";
  private static final String QUERY_CANCELED = "57014";
  /** Our own: a creation won one ownership key and lost the other. */
  private static final String PARTIAL_OWNERSHIP = "RL001";

  private static final String FEATURE_NOT_SUPPORTED = "0A000";
  private static final Set<String> CONTRACT_STATES = Set.of("23502", "23503", "23514", "23505");

  private PgFailures() {}

  /** For {@code recover}: fails with our form of whatever went wrong during {@code operation}. */
  public static <T> Function<Throwable, Future<T>> during(String operation) {
    return failure -> Future.failedFuture(of(operation, failure));
  }

  /** Our form of a driver's failure. Our own exceptions pass through unchanged. */
  public static RunlaneException of(String operation, Throwable failure) {
    return of(operation, failure, Map.of());
  }

  /** As {@link #of(String, Throwable)}; violating one of the named constraints is a lost race. */
  public static RunlaneException of(
      String operation, Throwable failure, Map<String, StorageConflictKind> constraints) {
    if (failure instanceof RunlaneException ours) {
      return ours;
    }
    if (failure instanceof PgException pg) {
      return ofState(operation, pg, constraints);
    }
    if (isConnectionFailure(failure)) {
      return RunlaneException.unavailable(
          ErrorCode.STORAGE_UNAVAILABLE,
          failure,
          "%s: Postgres cannot be reached or the connection was lost",
          operation);
    }
    return RunlaneException.of(ErrorCode.INTERNAL_ERROR, "%s failed unexpectedly", operation)
        .causedBy(failure);
  }

  /**
   * Whether the statement was rolled back because of others and may be sent again as it is: deadlock and
   * serialization failures, a lock or statement timeout, and a cached plan that a migration outdated.
   */
  public static boolean mayBeSentAgain(Throwable failure) {
    return failure instanceof PgException pg
        && (pg.getSqlState().startsWith("40")
            || pg.getSqlState().equals(LOCK_NOT_AVAILABLE)
            || pg.getSqlState().equals(QUERY_CANCELED)
            || pg.getSqlState().equals(PARTIAL_OWNERSHIP)
            || pg.getSqlState().equals(FEATURE_NOT_SUPPORTED));
  }

  /** Whether Postgres itself answered that it did nothing, so that nothing of the statement is stored. */
  public static boolean isRolledBack(Throwable failure) {
    return failure instanceof PgException pg && !isOutage(pg.getSqlState());
  }

  private static RunlaneException ofState(
      String operation, PgException failure, Map<String, StorageConflictKind> constraints) {
    String state = failure.getSqlState();
    StorageConflictKind kind =
        failure.getConstraint() == null ? null : constraints.get(failure.getConstraint());
    if (kind != null) {
      return RunlaneException.conflict(kind, "%s lost a race", operation).causedBy(failure);
    }
    if (mayBeSentAgain(failure) || isOutage(state)) {
      return RunlaneException.unavailable(
          ErrorCode.STORAGE_UNAVAILABLE,
          failure,
          "%s: Postgres could not do it now (SQLSTATE %s)",
          operation,
          state);
    }
    if (CONTRACT_STATES.contains(state)) {
      return RunlaneException.adapterContractViolation(
              "%s broke a constraint (SQLSTATE %s)", operation, state)
          .causedBy(failure);
    }
    return RunlaneException.of(
            ErrorCode.INTERNAL_ERROR, "%s failed (SQLSTATE %s)", operation, state)
        .causedBy(failure);
  }

  private static boolean isOutage(String state) {
    return state.startsWith("08")
        || state.startsWith("53")
        || state.startsWith("57P")
        || state.startsWith("58");
  }

  /**
   * Besides its own exceptions for a lost connection and a full pool the client has a bare {@link
   * VertxException} for a connection found closed and for a wait for one that took too long. The same in
   * all of its dialects.
   */
  public static boolean isConnectionFailure(Throwable failure) {
    return failure instanceof IOException
        || failure instanceof TimeoutException
        || failure instanceof VertxException
        || failure instanceof ConnectionPoolTooBusyException;
  }
}
