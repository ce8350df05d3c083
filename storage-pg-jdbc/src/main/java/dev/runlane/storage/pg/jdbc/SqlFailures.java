package dev.runlane.storage.pg.jdbc;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

/** What failures of a driver mean, by SQLSTATE alone. */
final class SqlFailures {
  /**
   * Others were in the way, nothing of the statement is stored. 23505: somebody created a run of this id just now,
   * which the next look finds; RL001: one key was won and another lost.
   */
  private static final Set<String> CONTENTION = Set.of("0A000", "23505", "RL001");

  /** The caller's own {@code lock_timeout}, which would begin anew with each statement. */
  private static final String WAITED = "55P03";

  private static final String READ_ONLY = "25006";

  /** Of the server: its queue of notifications is full, or it takes no transaction before vacuum has been at work. */
  private static final String LIMIT = "54000";

  /** No such schema, table or function, or no right to it. */
  private static final Set<String> NOT_SET_UP = Set.of("3F000", "42P01", "42883", "42501");

  private SqlFailures() {}

  static boolean mayBeSentAgain(SQLException failure) {
    String state = state(failure);
    return CONTENTION.contains(state) || state.startsWith("40");
  }

  /** @param connection that the failure is of, asked whether it is the application that wants it read-only */
  static RunlaneException of(SQLException failure, Connection connection) {
    String state = state(failure);
    if (state.equals(READ_ONLY) && isReadOnly(connection)) {
      return RunlaneException.configurationInvalid(
              "the trigger is in a read-only transaction, which cannot store a run")
          .causedBy(failure);
    }
    if (mayBeSentAgain(failure) || isOutage(state)) {
      return RunlaneException.unavailable(
          ErrorCode.STORAGE_UNAVAILABLE,
          failure,
          "the trigger could not be stored now (SQLSTATE %s)",
          state);
    }
    if (NOT_SET_UP.contains(state)) {
      return RunlaneException.configurationInvalid(
              "the tables of runs are missing, older than this release, or not to be used (SQLSTATE %s)",
              state)
          .causedBy(failure);
    }
    return RunlaneException.of(ErrorCode.INTERNAL_ERROR, "the trigger failed (SQLSTATE %s)", state)
        .causedBy(failure);
  }

  private static boolean isOutage(String state) {
    return state.equals(WAITED)
        || state.equals(READ_ONLY) // a server that was demoted
        || state.equals(LIMIT)
        || state.startsWith("08")
        || state.startsWith("53")
        || state.startsWith("57")
        || state.startsWith("58");
  }

  private static boolean isReadOnly(Connection connection) {
    try {
      return connection.isReadOnly();
    } catch (SQLException lost) {
      return false;
    }
  }

  private static String state(SQLException failure) {
    return failure.getSQLState() == null ? "" : failure.getSQLState();
  }
}
