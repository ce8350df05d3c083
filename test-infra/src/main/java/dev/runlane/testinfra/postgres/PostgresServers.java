package dev.runlane.testinfra.postgres;

import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.server.DockerEngine;
import dev.runlane.testinfra.server.TestServer;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Finds the server that the tests of this process share. */
public final class PostgresServers {
  /** The environment variable that names a server to use, as {@link PostgresAddress#parse} reads it. */
  public static final String ADDRESS_VARIABLE = "RUNLANE_TEST_POSTGRES";

  /**
   * But for connections, what spares work that only the loss of the machine, or a server that runs for days, would
   * need: whole pages in the log, log files that are filled or kept in advance, pages written before a checkpoint,
   * compiled queries.
   */
  private static final Map<String, String> SETTINGS = Map.of(
      "max_connections", "300",
      "full_page_writes", "off",
      "wal_init_zero", "off",
      "wal_recycle", "off",
      "bgwriter_lru_maxpages", "0",
      "jit", "off");

  private PostgresServers() {}

  /**
   * The one server of this process, found at the first call: the one named in {@code
   * RUNLANE_TEST_POSTGRES}; else one in Docker, where an engine answers and testcontainers-postgresql
   * is on the class path; else an embedded one. Says on standard output which one it is. It is given
   * back when the process ends, and callers must not close it.
   *
   * <p>Own servers do not sync to disk, spare what only the loss of the machine would need, and allow 300
   * connections.
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
      return ContainerPostgres.start(SETTINGS);
    }
    EmbeddedPostgres.Builder embedded = EmbeddedPostgres.builder();
    SETTINGS.forEach(embedded::setting);
    return embedded.start();
  }

  private static PostgresServer given(PostgresAddress admin) {
    PostgresDatabases.check(admin);
    return new GivenPostgres(admin, admin + ", from " + ADDRESS_VARIABLE, () -> {});
  }
}
