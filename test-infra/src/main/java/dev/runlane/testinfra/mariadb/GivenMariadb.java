package dev.runlane.testinfra.mariadb;

import dev.runlane.testinfra.server.GivenServer;

/** A server somebody else runs. */
final class GivenMariadb extends GivenServer<MariadbAddress> implements MariadbServer {
  GivenMariadb(MariadbAddress admin, String origin, Runnable release) {
    super(admin, origin, release);
  }

  @Override
  protected MariadbAddress create(MariadbAddress beside, String prefix) {
    return MariadbDatabases.create(beside, prefix);
  }

  @Override
  protected void drop(MariadbAddress beside, String name) {
    MariadbDatabases.drop(beside, name);
  }
}
