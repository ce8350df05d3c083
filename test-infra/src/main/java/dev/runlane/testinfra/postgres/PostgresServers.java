package dev.runlane.testinfra.postgres;

import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.server.DockerEngine;
import dev.runlane.testinfra.server.TestServer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Finds the server that the tests of this process share. */
public final class PostgresServers {
  /** The environment variable that names a server to use, as {@link PostgresAddress#parse} reads it. */
  public static final String ADDRESS_VARIABLE = "RUNLANE_TEST_POSTGRES";

  private static final String MAX_CONNECTIONS = "300";

  private PostgresServers() {}

  /**
   * The one server of this process, found at the first call: the one named in {@code
   * RUNLANE_TEST_POSTGRES}; else one in Docker, where an engine answers and testcontainers-postgresql
   * is on the class path; else an embedded one. Says on standard output which one it is. It is given
   * back when the process ends, and callers must not close it.
   *
   * <p>Own servers do not sync to disk, and allow 300 connections.
   *
   * @throws ServerException if the named server does not answer, or none can be started
   */
  public static PostgresServer shared() {
    return Shared.SERVER.get();
  }

  private static final class Shared {
    static final Supplier<PostgresServer> SERVER =
        TestServer.shared("PostgreSQL", () -> find(System.getenv(ADDRESS_VARIABLE)));
  }

  /** Takes the first place that has a server. A named server that fails is never replaced. */
  static PostgresServer find(@Nullable String givenAddress) {
    if (givenAddress != null && !givenAddress.isBlank()) {
      return given(PostgresAddress.parse(givenAddress.strip()));
    }
    if (DockerEngine.isAnnounced() && ContainerPostgres.isAvailable()) {
      return ContainerPostgres.start(MAX_CONNECTIONS);
    }
    return EmbeddedPostgres.builder()
        .setting("max_connections", MAX_CONNECTIONS)
        .start();
  }

  private static PostgresServer given(PostgresAddress admin) {
    PostgresDatabases.check(admin);
    return new GivenPostgres(admin, admin + ", from " + ADDRESS_VARIABLE, () -> {});
  }
}
