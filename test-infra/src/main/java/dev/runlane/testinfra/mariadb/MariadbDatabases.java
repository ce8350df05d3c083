package dev.runlane.testinfra.mariadb;

import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.server.DatabaseNames;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import org.mariadb.jdbc.MariaDbDataSource;

/** Creates and drops databases, over one short connection each. */
final class MariadbDatabases {
  private MariadbDatabases() {}

  /** Creates a database beside the one {@code admin} names. */
  static MariadbAddress create(MariadbAddress admin, String prefix) {
    String name = DatabaseNames.fresh(prefix);
    run(admin, "CREATE DATABASE %s", name);
    return admin.withDatabase(name);
  }

  static void drop(MariadbAddress admin, String name) {
    run(admin, "DROP DATABASE IF EXISTS %s", name);
  }

  /** Fails unless the server answers. */
  static void check(MariadbAddress admin) {
    run(admin, "USE %s", admin.database());
  }

  /** The driver quotes the name: a statement about a database takes no parameters. */
  private static void run(MariadbAddress admin, String statementOfName, String name) {
    try (Connection connection = connect(admin);
        Statement statement = connection.createStatement()) {
      statement.execute(
          String.format(Locale.ROOT, statementOfName, statement.enquoteIdentifier(name, true)));
    } catch (SQLException failure) {
      throw new ServerException(
          "the server at " + admin + " failed: " + failure.getMessage(), failure);
    }
  }

  private static Connection connect(MariadbAddress address) throws SQLException {
    String host = address.host().contains(":") ? "[" + address.host() + "]" : address.host();
    MariaDbDataSource source = new MariaDbDataSource(
        "jdbc:mariadb://" + host + ":" + address.port() + "/" + address.database()
            + "?connectTimeout=10000&socketTimeout=60000&allowPublicKeyRetrieval=true");
    return source.getConnection(address.user(), address.password());
  }
}
