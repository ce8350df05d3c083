package dev.runlane.testinfra.postgres;

import dev.runlane.testinfra.server.DatabaseServer;

/** A real PostgreSQL server on which databases can be made. */
public interface PostgresServer extends DatabaseServer<PostgresAddress> {
  @Override
  default PostgresAddress address(String database) {
    return new PostgresAddress(host(), port(), database, user(), password());
  }
}
