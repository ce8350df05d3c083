package dev.runlane.testinfra.postgres;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A server somebody else runs: only the databases made here are ours, and go when this is closed. */
final class GivenPostgres implements PostgresServer {
  private final PostgresAddress admin;
  private final String origin;
  private final Runnable release;
  private final Set<String> created = ConcurrentHashMap.newKeySet();

  /**
   * @param admin a database of the server, connected to only to create and drop others
   * @param release gives back the server itself, last of all
   */
  GivenPostgres(PostgresAddress admin, String origin, Runnable release) {
    this.admin = admin;
    this.origin = origin;
    this.release = release;
  }

  @Override
  public String host() {
    return admin.host();
  }

  @Override
  public int port() {
    return admin.port();
  }

  @Override
  public String user() {
    return admin.user();
  }

  @Override
  public String password() {
    return admin.password();
  }

  @Override
  public String origin() {
    return origin;
  }

  @Override
  public PostgresAddress createDatabase(String prefix) {
    PostgresAddress address = PostgresDatabases.create(admin, prefix);
    created.add(address.database());
    return address;
  }

  @Override
  public void dropDatabase(String name) {
    PostgresDatabases.drop(admin, name);
    created.remove(name);
  }

  @Override
  public void close() {
    try {
      for (String name : created) {
        dropDatabase(name);
      }
    } finally {
      release.run();
    }
  }
}
