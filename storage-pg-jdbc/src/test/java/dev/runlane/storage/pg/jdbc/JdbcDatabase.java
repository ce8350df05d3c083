package dev.runlane.storage.pg.jdbc;

import static dev.runlane.conformance.kit.Outcomes.done;

import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.testinfra.postgres.ReusedSessions;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** A database of the shared server, as a blocking application and as the reactive storage see it. */
final class JdbcDatabase {
  private final PostgresAddress address;

  private JdbcDatabase(PostgresAddress address) {
    this.address = address;
  }

  static JdbcDatabase create(String name) {
    return new JdbcDatabase(PostgresServers.shared().createDatabase(name));
  }

  /** One for cases that each connect anew, and are not about connections. */
  static JdbcDatabase createForManyConnections(String name) {
    return new JdbcDatabase(
        new ReusedSessions(PostgresServers.shared().createDatabase(name)).address());
  }

  PgConnectOptions reactive() {
    return PgConnectOptions.fromUri(address.toUri());
  }

  String url() {
    return "jdbc:postgresql://" + address.host() + ":" + address.port() + "/" + address.database();
  }

  PostgresAddress address() {
    return address;
  }

  /** Makes the tables of runs. */
  void migrate(Vertx vertx) {
    PgStorageAdapter storage =
        PgStorageAdapter.create(vertx, new PgStorageOptions().setConnectOptions(reactive()));
    done(storage.start());
    done(storage.close());
  }

  Connection connect() {
    return connect(address.user(), address.password());
  }

  Connection connect(String user, String password) {
    Properties properties = new Properties();
    properties.setProperty("user", user);
    properties.setProperty("password", password);
    try {
      return DriverManager.getConnection(url(), properties);
    } catch (SQLException failure) {
      throw new AssertionError("no connection to " + address, failure);
    }
  }

  void execute(String sql) {
    try (Connection connection = connect()) {
      execute(connection, sql);
    } catch (SQLException failure) {
      throw new AssertionError(sql, failure);
    }
  }

  static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The first column of each row. */
  List<String> column(String sql) {
    try (Connection connection = connect()) {
      return column(connection, sql);
    } catch (SQLException failure) {
      throw new AssertionError(sql, failure);
    }
  }

  static List<String> column(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> found = new ArrayList<>();
      while (rows.next()) {
        found.add(rows.getString(1));
      }
      return found;
    }
  }
}
