package dev.runlane.testinfra;

import dev.runlane.testinfra.mariadb.MariadbAddress;
import dev.runlane.testinfra.postgres.PostgresAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Statements of the tests. */
public final class Sql {

  private Sql() {}

  public static Connection connect(PostgresAddress address) throws SQLException {
    String url =
        "jdbc:postgresql://" + address.host() + ":" + address.port() + "/" + address.database();
    return DriverManager.getConnection(url, address.user(), address.password());
  }

  public static Connection connect(MariadbAddress address) throws SQLException {
    String url =
        "jdbc:mariadb://" + address.host() + ":" + address.port() + "/" + address.database();
    return DriverManager.getConnection(url, address.user(), address.password());
  }

  public static void execute(MariadbAddress address, String sql) throws SQLException {
    try (Connection connection = connect(address)) {
      execute(connection, sql);
    }
  }

  public static List<String> column(MariadbAddress address, String query) throws SQLException {
    try (Connection connection = connect(address)) {
      return column(connection, query);
    }
  }

  public static void execute(PostgresAddress address, String sql) throws SQLException {
    try (Connection connection = connect(address)) {
      execute(connection, sql);
    }
  }

  public static List<String> column(PostgresAddress address, String query) throws SQLException {
    try (Connection connection = connect(address)) {
      return column(connection, query);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static List<String> column(Connection connection, String query) throws SQLException {
    List<String> values = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        values.add(rows.getString(1));
      }
    }
    return values;
  }
}
