package dev.runlane.testinfra.postgres;

import dev.runlane.testinfra.server.GivenServer;

/** A server somebody else runs. */
final class GivenPostgres extends GivenServer<PostgresAddress> implements PostgresServer {
  GivenPostgres(PostgresAddress admin, String origin, Runnable release) {
    super(admin, origin, release);
  }

  @Override
  public PostgresAddress copyDatabase(PostgresAddress original, String prefix) {
    return made(PostgresServer.super.copyDatabase(original, prefix));
  }

  @Override
  protected PostgresAddress create(PostgresAddress beside, String prefix) {
    return PostgresDatabases.create(beside, prefix);
  }

  @Override
  protected void drop(PostgresAddress beside, String name) {
    PostgresDatabases.drop(beside, name);
  }
}
