package dev.runlane.testinfra.postgres;

import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.server.DatabaseNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.ds.PGSimpleDataSource;

/** Creates and drops databases, over one short connection each. */
final class PostgresDatabases {
  private static final int CONNECT_TIMEOUT_SECONDS = 10;
  private static final int SOCKET_TIMEOUT_SECONDS = 60;

  /** Files are copied, as from 15 on, where no disk is waited for: that makes two checkpoints. */
  private static final String CREATE = "SELECT format('CREATE DATABASE %I TEMPLATE template0'"
      + " || CASE WHEN current_setting('fsync') = 'off' AND current_setting('server_version_num')::integer >= 150000"
      + " THEN ' STRATEGY file_copy' ELSE '' END, ?)";

  private PostgresDatabases() {}

  /** Creates a database beside the one {@code admin} names. */
  static PostgresAddress create(PostgresAddress admin, String prefix) {
    String name = DatabaseNames.fresh(prefix);
    run(admin, CREATE, name);
    return admin.withDatabase(name);
  }

  static void drop(PostgresAddress admin, String name) {
    run(admin, "SELECT format('DROP DATABASE IF EXISTS %I WITH (FORCE)', ?)", name);
  }

  /** Fails unless the server answers. */
  static void check(PostgresAddress admin) {
    run(admin, "SELECT ?", "SELECT 1");
  }

  /** The server itself quotes the name: a statement about a database takes no parameters. */
  private static void run(PostgresAddress admin, String statementOfName, String name) {
    try (Connection connection = source(admin).getConnection();
        PreparedStatement quote = connection.prepareStatement(statementOfName);
        Statement statement = connection.createStatement()) {
      quote.setString(1, name);
      try (ResultSet quoted = quote.executeQuery()) {
        quoted.next();
        statement.execute(quoted.getString(1));
      }
    } catch (SQLException failure) {
      throw new ServerException(
          "the server at " + admin + " failed: " + failure.getMessage(), failure);
    }
  }

  static PGSimpleDataSource source(PostgresAddress address) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setServerNames(new String[] {address.host()});
    source.setPortNumbers(new int[] {address.port()});
    source.setDatabaseName(address.database());
    source.setUser(address.user());
    source.setPassword(address.password());
    source.setApplicationName("runlane-test-infra");
    source.setConnectTimeout(CONNECT_TIMEOUT_SECONDS);
    source.setSocketTimeout(SOCKET_TIMEOUT_SECONDS);
    return source;
  }
}
