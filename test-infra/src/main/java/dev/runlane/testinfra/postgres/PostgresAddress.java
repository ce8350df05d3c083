package dev.runlane.testinfra.postgres;

import dev.runlane.testinfra.server.GivenServer;
import dev.runlane.testinfra.server.ServerUri;
import java.util.Objects;

/**
 * Where one database is and who may enter it.
 *
 * @param host a name or address; an IPv6 address stands without brackets
 * @param port 1 to 65535
 * @param password empty where the server asks for none
 */
public record PostgresAddress(String host, int port, String database, String user, String password)
    implements GivenServer.Address {
  private static final int DEFAULT_PORT = 5432;

  /** Refuses null, an empty host, database or user, and an impossible port. */
  public PostgresAddress {
    ServerUri.requireText(host, "host");
    ServerUri.requireText(database, "database");
    ServerUri.requireText(user, "user");
    Objects.requireNonNull(password, "password");
    ServerUri.requirePort(port);
  }

  /**
   * Reads {@code postgresql://user:password@host:port/database}, as {@link #toUri()} writes it, or
   * with the scheme {@code postgres}. The port defaults to 5432, the user to {@code postgres}, the
   * database to the user's name.
   *
   * @throws IllegalArgumentException if it is no such URI, or has parameters: they would be ignored.
   *     The message never repeats the password
   */
  public static PostgresAddress parse(String uri) {
    ServerUri parsed = ServerUri.parse("PostgreSQL", uri, "postgresql", "postgres");
    String user = parsed.user().isEmpty() ? "postgres" : parsed.user();
    return new PostgresAddress(
        parsed.host(),
        parsed.portOr(DEFAULT_PORT),
        parsed.database().isEmpty() ? user : parsed.database(),
        user,
        parsed.password());
  }

  /** The address as {@code postgresql://user:password@host:port/database}, password included. */
  public String toUri() {
    return ServerUri.of(host, port, database, user, password).toUri("postgresql");
  }

  /** The address without the password, for messages and logs. */
  @Override
  public String toString() {
    return ServerUri.of(host, port, database, user, "").toUri("postgresql");
  }

  PostgresAddress withDatabase(String other) {
    return new PostgresAddress(host, port, other, user, password);
  }
}
