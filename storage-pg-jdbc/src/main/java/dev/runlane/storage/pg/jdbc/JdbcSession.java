package dev.runlane.storage.pg.jdbc;

import dev.runlane.postgres.statement.MarkedStatement;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Statements on a connection of the application's, which goes on being its own. */
record JdbcSession(Connection connection) {
  /** The rows of a query, each read by {@code reader}. */
  <C, T> List<T> query(MarkedStatement<C> statement, C given, Reader<T> reader)
      throws SQLException {
    List<Array> arrays = new ArrayList<>();
    try (PreparedStatement prepared = connection.prepareStatement(statement.sql())) {
      int place = 1;
      for (Object value : statement.values(given)) {
        set(prepared, place++, value, arrays);
      }
      List<T> found = new ArrayList<>();
      try (ResultSet rows = prepared.executeQuery()) {
        while (rows.next()) {
          found.add(reader.read(rows));
        }
      }
      return found;
    } finally {
      for (Array array : arrays) {
        array.free();
      }
    }
  }

  private void set(
      PreparedStatement prepared, int place, @Nullable Object value, List<Array> arrays)
      throws SQLException {
    if (value instanceof Object[] elements) {
      Array array = connection.createArrayOf(type(elements), elements);
      arrays.add(array);
      prepared.setArray(place, array);
    } else {
      prepared.setObject(place, value);
    }
  }

  private static String type(Object[] elements) {
    if (elements instanceof Long[]) {
      return "int8";
    }
    if (elements instanceof Short[]) {
      return "int2";
    }
    if (elements instanceof Boolean[]) {
      return "bool";
    }
    return elements instanceof OffsetDateTime[] ? "timestamptz" : "text";
  }

  /**
   * Does all of the work or nothing of it, and leaves the application's transaction usable either way. Where each
   * statement is a transaction of its own, the work is one statement that is allowed to write.
   */
  <T> T atomically(Work<T> work) throws SQLException {
    if (connection.getAutoCommit()) {
      return work.run();
    }
    Savepoint before = connection.setSavepoint();
    try {
      T result = work.run();
      connection.releaseSavepoint(before);
      return result;
    } catch (SQLException | RuntimeException failure) {
      undo(before, failure);
      throw failure;
    }
  }

  /** A connection that is lost cannot roll back either: the first failure says why. */
  private void undo(Savepoint before, Exception failure) {
    try {
      connection.rollback(before);
    } catch (SQLException second) {
      failure.addSuppressed(second);
    }
  }

  @FunctionalInterface
  interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  @FunctionalInterface
  interface Work<T> {
    T run() throws SQLException;
  }
}
