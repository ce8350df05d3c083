package dev.runlane.testinfra.postgres;

import dev.runlane.testinfra.ServerException;

/**
 * A real PostgreSQL server on which databases can be made. Every method may be called from any
 * thread; all that talk to the server block.
 */
public interface PostgresServer extends AutoCloseable {

  /** The name or address it listens on. */
  String host();

  /** The port it listens on; the same for as long as the server is not closed. */
  int port();

  /** The user its databases are made with; may create databases, and on our own servers everything. */
  String user();

  /** That user's password, empty where none is asked for. A secret on servers that were given. */
  String password();

  /** Says in a few words where this server comes from, without its password. */
  String origin();

  /** The address of a database of this server, whether it exists or not. */
  default PostgresAddress address(String database) {
    return new PostgresAddress(host(), port(), database, user(), password());
  }

  /**
   * Creates an empty database that nobody else has. Callers may compete, also from several
   * processes: each gets its own.
   *
   * @param prefix starts the name; lowercase letters, digits and underscores, a letter first, at most
   *     40 characters
   * @throws ServerException if the server can't be reached or refuses
   */
  PostgresAddress createDatabase(String prefix);

  /**
   * Drops a database and disconnects whoever uses it; does nothing if there is none of this name.
   *
   * @throws ServerException if the server can't be reached or refuses
   */
  void dropDatabase(String name);

  /**
   * Gives back what this object holds: an own server stops, a given one loses the databases created
   * here. A second call does nothing.
   */
  @Override
  void close();
}
