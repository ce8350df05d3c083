package dev.runlane.testinfra.postgres;

import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.server.DatabaseServer;

/** A real PostgreSQL server on which databases can be made. */
public interface PostgresServer extends DatabaseServer<PostgresAddress> {
  @Override
  default PostgresAddress address(String database) {
    return new PostgresAddress(host(), port(), database, user(), password());
  }

  /**
   * Creates a database with all that is in another one of this server, which is as fast as its files are copied. Nobody
   * may be connected to that one meanwhile.
   *
   * @param prefix starts the name, as in {@link #createDatabase}
   * @throws ServerException if the server can't be reached or refuses
   */
  default PostgresAddress copyDatabase(PostgresAddress original, String prefix) {
    return PostgresDatabases.copy(original, prefix);
  }
}
