package dev.runlane.testinfra.mariadb;

import dev.runlane.testinfra.server.GivenServer;
import dev.runlane.testinfra.server.ServerUri;
import java.util.Objects;

/**
 * Where one database of MariaDB or MySQL is and who may enter it.
 *
 * @param host a name or address; an IPv6 address stands without brackets
 * @param port 1 to 65535
 * @param password empty where the server asks for none
 */
public record MariadbAddress(String host, int port, String database, String user, String password)
    implements GivenServer.Address {
  private static final int DEFAULT_PORT = 3306;
  private static final String DEFAULT_USER = "root";

  /** There on every server. */
  private static final String DEFAULT_DATABASE = "mysql";

  /** Refuses null, an empty host, database or user, and an impossible port. */
  public MariadbAddress {
    ServerUri.requireText(host, "host");
    ServerUri.requireText(database, "database");
    ServerUri.requireText(user, "user");
    Objects.requireNonNull(password, "password");
    ServerUri.requirePort(port);
  }

  /**
   * Reads {@code mysql://user:password@host:port/database}, as {@link #toUri()} writes it, or with the scheme
   * {@code mariadb}. The port defaults to 3306, the user to {@code root}, the database to {@code mysql}.
   *
   * @throws IllegalArgumentException if it is no such URI, or has parameters: they would be ignored. The
   *     message never repeats the password
   */
  public static MariadbAddress parse(String uri) {
    ServerUri parsed = ServerUri.parse("MariaDB", uri, "mysql", "mariadb");
    return new MariadbAddress(
        parsed.host(),
        parsed.portOr(DEFAULT_PORT),
        parsed.database().isEmpty() ? DEFAULT_DATABASE : parsed.database(),
        parsed.user().isEmpty() ? DEFAULT_USER : parsed.user(),
        parsed.password());
  }

  /** The address as {@code mysql://user:password@host:port/database}, password included. */
  public String toUri() {
    return ServerUri.of(host, port, database, user, password).toUri("mysql");
  }

  /** The address without the password, for messages and logs. */
  @Override
  public String toString() {
    return ServerUri.of(host, port, database, user, "").toUri("mysql");
  }

  MariadbAddress withDatabase(String other) {
    return new MariadbAddress(host, port, other, user, password);
  }
}
