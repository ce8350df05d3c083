package dev.runlane.testinfra.mariadb;

import dev.runlane.testinfra.server.DatabaseServer;

/** A real MariaDB or MySQL server on which databases can be made. */
public interface MariadbServer extends DatabaseServer<MariadbAddress> {
  @Override
  default MariadbAddress address(String database) {
    return new MariadbAddress(host(), port(), database, user(), password());
  }
}
