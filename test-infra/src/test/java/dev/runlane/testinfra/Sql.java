package dev.runlane.testinfra;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Statements of the tests. */
final class Sql {

  private Sql() {}

  static Connection connect(PostgresAddress address) throws SQLException {
    String url =
        "jdbc:postgresql://" + address.host() + ":" + address.port() + "/" + address.database();
    return DriverManager.getConnection(url, address.user(), address.password());
  }

  static void execute(PostgresAddress address, String sql) throws SQLException {
    try (Connection connection = connect(address);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  static List<String> column(PostgresAddress address, String query) throws SQLException {
    List<String> values = new ArrayList<>();
    try (Connection connection = connect(address);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        values.add(rows.getString(1));
      }
    }
    return values;
  }
}
