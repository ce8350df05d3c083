package dev.runlane.testinfra.server;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A server somebody else runs: only the databases made here are ours, and go when this is closed.
 *
 * @param <A> the address of a database of it
 */
public abstract class GivenServer<A extends GivenServer.Address> implements DatabaseServer<A> {
  private final A admin;
  private final String origin;
  private final Runnable release;
  private final Set<String> created = ConcurrentHashMap.newKeySet();

  /** Where one database is and who may enter it. */
  public interface Address {
    String host();

    int port();

    String database();

    String user();

    String password();
  }

  /**
   * @param admin a database of the server, connected to only to create and drop others
   * @param release gives back the server itself, last of all
   */
  protected GivenServer(A admin, String origin, Runnable release) {
    this.admin = admin;
    this.origin = origin;
    this.release = release;
  }

  protected abstract A create(A beside, String prefix);

  protected abstract void drop(A beside, String name);

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
  public A createDatabase(String prefix) {
    return made(create(admin, prefix));
  }

  /** Remembers a database that was made here. */
  protected A made(A address) {
    created.add(address.database());
    return address;
  }

  @Override
  public void dropDatabase(String name) {
    drop(admin, name);
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
