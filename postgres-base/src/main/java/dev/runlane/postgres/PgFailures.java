package dev.runlane.postgres;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import io.vertx.core.Future;
import io.vertx.core.VertxException;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.DatabaseException;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Turns failures of the driver into ours, by SQLSTATE and name of the constraint, never by message text.
 * The codes are those of <a href="https://www.postgresql.org/docs/current/errcodes-appendix.html">
 * PostgreSQL's appendix A</a>.
 */
public final class PgFailures {
  /** The same for whoever serves several databases. */
  public static final StatementFailures OF_POSTGRES = new OfPostgres(false);

  /**
   * The same for what is done in a transaction of its own: a row that cannot be read, which is ours to find, has undone
   * all of it too.
   */
  public static final StatementFailures OF_TRANSACTIONS = new OfPostgres(true);

  private static final String QUERY_CANCELED = "57014";
  private static final String UNIQUE_VIOLATION = "23505";
  private static final Pattern OF_REBUILD = Pattern.compile("_cc(?:new|old)\\d*$");

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
    if (failure instanceof ConnectionFailure lost) {
      return RunlaneException.unavailable(
          ErrorCode.STORAGE_UNAVAILABLE,
          failure,
          "%s: %s",
          operation,
          String.valueOf(lost.getMessage()));
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
   * Whether the statement was rolled back because of others and may be sent again as it is: deadlock and serialization
   * failures, a lock that was not to be had, and a cached plan that a migration outdated. A statement that took too
   * long, or that an operator stopped, is not sent again.
   */
  public static boolean mayBeSentAgain(Throwable failure) {
    return failure instanceof PgException pg && SqlStateKind.of(pg).mayBeSentAgain();
  }

  /**
   * Whether Postgres refused what the statement wants, so that nothing of it is stored and a part of it may fare
   * better.
   */
  public static boolean isRolledBack(Throwable failure) {
    return failure instanceof PgException pg && !SqlStateKind.of(pg).isOutage();
  }

  /** Whether the connection that answered so is of no more use. */
  static boolean endsConnection(Throwable failure) {
    return failure instanceof PgException pg && SqlStateKind.of(pg).endsConnection();
  }

  /** Whether a server answered that takes no writes, such as a primary that has become a standby. */
  static boolean isReadOnly(Throwable failure) {
    return failure instanceof PgException pg && SqlStateKind.of(pg) == SqlStateKind.READ_ONLY;
  }

  private static RunlaneException ofState(
      String operation, PgException failure, Map<String, StorageConflictKind> constraints) {
    String state = failure.getSqlState();
    String constraint = constraint(failure);
    StorageConflictKind kind = constraint == null ? null : constraints.get(constraint);
    if (kind != null) {
      return RunlaneException.conflict(kind, "%s lost a race", operation).causedBy(failure);
    }
    SqlStateKind meaning = SqlStateKind.of(failure);
    if (meaning.mayBeSentAgain() || meaning.isOutage()) {
      return RunlaneException.unavailable(
          ErrorCode.STORAGE_UNAVAILABLE,
          failure,
          "%s: %s (SQLSTATE %s)",
          operation,
          reason(meaning, state),
          state);
    }
    if (meaning == SqlStateKind.CONSTRAINT) {
      return RunlaneException.adapterContractViolation(
              "%s broke %s (SQLSTATE %s)", operation, broken(failure), state)
          .causedBy(failure);
    }
    return RunlaneException.of(
            ErrorCode.INTERNAL_ERROR, "%s failed (SQLSTATE %s)", operation, state)
        .causedBy(failure);
  }

  /** The constraint that was broken, whichever of its indexes has noticed it. */
  private static @Nullable String constraint(PgException failure) {
    return failure.getConstraint() == null
        ? null
        : OF_REBUILD.matcher(failure.getConstraint()).replaceFirst("");
  }

  /**
   * Whether a row was refused by a unique index that {@code REINDEX CONCURRENTLY} makes, or left when it was cut off.
   * {@code ON CONFLICT} is not about that one, so that it can refuse what another session is storing at this moment;
   * once that is stored, the same statement finds it.
   */
  static boolean isOfRebuild(PgException failure) {
    return UNIQUE_VIOLATION.equals(failure.getSqlState())
        && failure.getConstraint() != null
        && OF_REBUILD.matcher(failure.getConstraint()).find();
  }

  /** By the names that are in the schema: it may be a constraint of somebody else's. Without any value. */
  private static String broken(PgException failure) {
    String table = failure.getTable() == null ? "" : " of table " + failure.getTable();
    if (failure.getConstraint() != null) {
      return "constraint " + failure.getConstraint() + table;
    }
    return failure.getColumn() == null
        ? "a constraint" + table
        : "the constraint of column " + failure.getColumn() + table;
  }

  private static String reason(SqlStateKind meaning, String state) {
    if (meaning == SqlStateKind.READ_ONLY) {
      return "Postgres takes no writes: it is a standby, or the role or the database has"
          + " default_transaction_read_only";
    }
    return QUERY_CANCELED.equals(state)
        ? "Postgres gave up, after its statement timeout or because an operator stopped it"
        : "Postgres could not do it now";
  }

  /**
   * Besides its own exceptions for a lost connection and a full pool the client has a bare {@link
   * VertxException} for a connection found closed and for a wait for one that took too long. The same in
   * all of its dialects.
   */
  public static boolean isConnectionFailure(Throwable failure) {
    return failure instanceof IOException
        || failure instanceof TimeoutException
        || (failure instanceof VertxException && !(failure instanceof DatabaseException))
        || failure instanceof ConnectionPoolTooBusyException;
  }

  private record OfPostgres(boolean inTransaction) implements StatementFailures {
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
      return PgFailures.isRolledBack(failure)
          || (inTransaction
              && failure instanceof RunlaneException ours
              && ours.code() == ErrorCode.INVARIANT_VIOLATION);
    }

    @Override
    public boolean endsConnection(Throwable failure) {
      return PgFailures.endsConnection(failure);
    }

    @Override
    public boolean isReadOnly(Throwable failure) {
      return PgFailures.isReadOnly(failure);
    }
  }
}
