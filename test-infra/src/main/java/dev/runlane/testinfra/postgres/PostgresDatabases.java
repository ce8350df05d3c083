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
  private static final String CREATE = "SELECT format('CREATE DATABASE %I TEMPLATE %I'"
      + " || CASE WHEN current_setting('fsync') = 'off' AND current_setting('server_version_num')::integer >= 150000"
      + " THEN ' STRATEGY file_copy' ELSE '' END, ?, ?)";

  private static final String EMPTY = "template0";
  /** A database of every server, for statements about others. */
  private static final String ANY = "template1";

  private PostgresDatabases() {}

  /** Creates a database beside the one {@code admin} names. */
  static PostgresAddress create(PostgresAddress admin, String prefix) {
    return create(admin, EMPTY, prefix);
  }

  /** Creates a copy of a database that nobody is connected to. */
  static PostgresAddress copy(PostgresAddress original, String prefix) {
    return create(original.withDatabase(ANY), original.database(), prefix);
  }

  private static PostgresAddress create(PostgresAddress admin, String template, String prefix) {
    String name = DatabaseNames.fresh(prefix);
    run(admin, CREATE, name, template);
    return admin.withDatabase(name);
  }

  static void drop(PostgresAddress admin, String name) {
    run(admin, "SELECT format('DROP DATABASE IF EXISTS %I WITH (FORCE)', ?)", name);
  }

  /** Fails unless the server answers. */
  static void check(PostgresAddress admin) {
    run(admin, "SELECT ?", "SELECT 1");
  }

  /** The server itself quotes the names: a statement about a database takes no parameters. */
  private static void run(PostgresAddress admin, String statementOfNames, String... names) {
    try (Connection connection = source(admin).getConnection();
        PreparedStatement quote = connection.prepareStatement(statementOfNames);
        Statement statement = connection.createStatement()) {
      for (int index = 0; index < names.length; index++) {
        quote.setString(index + 1, names[index]);
      }
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
