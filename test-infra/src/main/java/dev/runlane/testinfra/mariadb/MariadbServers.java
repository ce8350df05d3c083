package dev.runlane.testinfra.mariadb;

import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.server.DockerEngine;
import dev.runlane.testinfra.server.TestServer;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Finds the MariaDB server that the tests of this process share. */
public final class MariadbServers {
  /** The environment variable that names a server to use, as {@link MariadbAddress#parse} reads it. */
  public static final String ADDRESS_VARIABLE = "RUNLANE_TEST_MARIADB";

  private static final String MAX_CONNECTIONS = "300";

  private MariadbServers() {}

  /**
   * Why {@link #shared()} would find no server here, or empty: unlike PostgreSQL and Kafka, MariaDB is
   * brought by no dependency, and tests that need it are left out with this reason.
   */
  public static Optional<String> absence() {
    return absence(System.getenv(ADDRESS_VARIABLE), MariadbInstallation.find());
  }

  static Optional<String> absence(
      @Nullable String givenAddress, Optional<MariadbInstallation> installed) {
    boolean found = isGiven(givenAddress) || inDocker() || installed.isPresent();
    return found
        ? Optional.empty()
        : Optional.of("no MariaDB here: install mariadb-server-core, or set " + ADDRESS_VARIABLE);
  }

  /**
   * The one server of this process, found at the first call: the one named in {@code
   * RUNLANE_TEST_MARIADB}; else one in Docker, where an engine answers and testcontainers-mariadb is on
   * the class path; else the {@code mariadbd} of this machine, in a process of its own. Says on standard
   * output which one it is. It is given back when the process ends, and callers must not close it.
   *
   * <p>Own servers do not sync to disk, and allow 300 connections.
   *
   * @throws ServerException if the named server does not answer, or there is none
   */
  public static MariadbServer shared() {
    return Shared.SERVER.get();
  }

  private static final class Shared {
    static final Supplier<MariadbServer> SERVER =
        TestServer.shared("MariaDB", () -> find(System.getenv(ADDRESS_VARIABLE)));
  }

  /** Takes the first place that has a server. A named server that fails is never replaced. */
  static MariadbServer find(@Nullable String givenAddress) {
    if (isGiven(givenAddress)) {
      return given(MariadbAddress.parse(String.valueOf(givenAddress).strip()));
    }
    if (inDocker()) {
      return ContainerMariadb.start(MAX_CONNECTIONS);
    }
    return EmbeddedMariadb.builder().setting("max_connections", MAX_CONNECTIONS).start();
  }

  private static boolean isGiven(@Nullable String address) {
    return address != null && !address.isBlank();
  }

  private static boolean inDocker() {
    return DockerEngine.isAnnounced() && ContainerMariadb.isAvailable();
  }

  private static MariadbServer given(MariadbAddress admin) {
    MariadbDatabases.check(admin);
    return new GivenMariadb(admin, admin + ", from " + ADDRESS_VARIABLE, () -> {});
  }
}
