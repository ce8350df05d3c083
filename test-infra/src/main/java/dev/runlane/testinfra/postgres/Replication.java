package dev.runlane.testinfra.postgres;

import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.process.Poll;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** A server and its standby, as reported over one short connection each. */
final class Replication {
  private static final long PAUSE_MILLIS = 50;
  private static final String STREAMING =
      "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'";
  private static final String SYNCHRONOUS =
      "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";

  private Replication() {}

  /** Has commits of the primary wait for its standby, once that streams. */
  static void waitForStandby(PostgresAddress primary, Duration atMost) {
    try (Connection session = PostgresDatabases.source(primary).getConnection();
        Statement statement = session.createStatement()) {
      await(statement, STREAMING, primary, atMost);
      statement.execute("ALTER SYSTEM SET synchronous_standby_names = '*'");
      statement.execute("SELECT pg_reload_conf()");
      await(statement, SYNCHRONOUS, primary, atMost);
    } catch (SQLException failure) {
      throw failed(primary, failure);
    }
  }

  /** Makes a standby accept changes. */
  static void promote(PostgresAddress standby, Duration atMost) {
    try (Connection session = PostgresDatabases.source(standby).getConnection();
        PreparedStatement statement = session.prepareStatement("SELECT pg_promote(true, ?)")) {
      statement.setInt(1, Math.toIntExact(atMost.toSeconds()));
      try (ResultSet promoted = statement.executeQuery()) {
        promoted.next();
        if (!promoted.getBoolean(1)) {
          throw new ServerException("the standby at " + standby + " was not promoted in " + atMost);
        }
      }
    } catch (SQLException failure) {
      throw failed(standby, failure);
    }
  }

  private static void await(
      Statement statement, String question, PostgresAddress primary, Duration atMost)
      throws SQLException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (!hasRow(statement, question)) {
      if (System.nanoTime() - deadline > 0) {
        throw new ServerException("no standby of the server at " + primary + " answers \""
            + question + "\" after " + atMost);
      }
      Poll.pause(PAUSE_MILLIS);
    }
  }

  private static boolean hasRow(Statement statement, String question) throws SQLException {
    try (ResultSet standbys = statement.executeQuery(question)) {
      return standbys.next();
    }
  }

  private static ServerException failed(PostgresAddress server, SQLException failure) {
    return new ServerException(
        "the server at " + server + " failed: " + failure.getMessage(), failure);
  }
}
