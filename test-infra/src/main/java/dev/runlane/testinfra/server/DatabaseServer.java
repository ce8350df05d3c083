package dev.runlane.testinfra.server;

import dev.runlane.testinfra.ServerException;

/**
 * A real server on which databases can be made. Every method may be called from any thread; all that talk
 * to the server block.
 *
 * @param <A> the address of a database of it
 */
public interface DatabaseServer<A> extends TestServer {

  /** The name or address it listens on. */
  String host();

  /** The port it listens on; the same for as long as the server is not closed. */
  int port();

  /** The user its databases are made with; may create databases, and on our own servers everything. */
  String user();

  /** That user's password, empty where none is asked for. A secret on servers that were given. */
  String password();

  /** The address of a database of this server, whether it exists or not. */
  A address(String database);

  /**
   * Creates an empty database that nobody else has, with the server's own character set. Callers may
   * compete, also from several processes: each gets its own.
   *
   * @param prefix starts the name; lowercase letters, digits and underscores, a letter first, at most
   *     40 characters
   * @throws ServerException if the server can't be reached or refuses
   */
  A createDatabase(String prefix);

  /**
   * Drops a database; does nothing if there is none of this name. PostgreSQL disconnects whoever uses it,
   * MariaDB waits for transactions that use it, for a minute.
   *
   * @throws ServerException if the server can't be reached or refuses
   */
  void dropDatabase(String name);
}
