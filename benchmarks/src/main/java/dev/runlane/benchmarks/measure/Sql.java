package dev.runlane.benchmarks.measure;

import dev.runlane.testinfra.postgres.PostgresAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** One blocking connection for set-up, readings and checks; never measured. */
public final class Sql implements AutoCloseable {
  private final Connection connection;

  private Sql(Connection connection) {
    this.connection = connection;
  }

  /** A connection to a database. */
  public static Sql open(PostgresAddress address) {
    try {
      return new Sql(DriverManager.getConnection(
          "jdbc:postgresql://" + address.host() + ":" + address.port() + "/" + address.database(),
          address.user(),
          address.password()));
    } catch (SQLException failure) {
      throw new IllegalStateException("no connection to " + address, failure);
    }
  }

  /** Executes one statement. */
  public void execute(String sql) {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException failure) {
      throw new IllegalStateException(sql, failure);
    }
  }

  /** The only value of the only row, a whole number. */
  public long number(String sql) {
    return Long.parseLong(text(sql));
  }

  /** The only value of the only row. */
  public String text(String sql) {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      if (!rows.next()) {
        throw new IllegalStateException("no row: " + sql);
      }
      return String.valueOf(rows.getString(1));
    } catch (SQLException failure) {
      throw new IllegalStateException(sql, failure);
    }
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException failure) {
      throw new IllegalStateException("the connection does not close", failure);
    }
  }
}
