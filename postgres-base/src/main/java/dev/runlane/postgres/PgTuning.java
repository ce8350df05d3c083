package dev.runlane.postgres;

import io.vertx.pgclient.PgConnectOptions;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/** What the connections of the Postgres modules have in common. */
public final class PgTuning {
  /** The isolation that statements are written for: each sees what was committed before it began. */
  public static final String ISOLATION = "read committed";

  static final String OPERATOR_COST = "cpu_operator_cost";
  static final String LITTLE = "0.0001"; // Postgres's own is 0.0025

  private static final int CACHED_STATEMENTS = 512;
  private static final String APPLICATION_NAME = "application_name";

  /** So that a server keeps no lock for two hours for a process whose host or network is gone. */
  private static final Map<String, String> SILENT_CLIENTS = Map.of(
      "idle_in_transaction_session_timeout",
      "30000",
      "tcp_keepalives_idle",
      "30",
      "tcp_keepalives_interval",
      "10",
      "tcp_keepalives_count",
      "3");

  private PgTuning() {}

  /**
   * A copy of {@code options} for the pool of an adapter. Every statement is prepared once and cached
   * whatever its length: the client's own limit of 2 048 characters would prepare the long ones anew each
   * time. The planner keeps to index probes and to one generic plan, so that a plan made while a table
   * was empty is still right when it is full. Where it knows of no row, all indexes cost the same but for their height:
   * what a comparison costs is made so small that no height outweighs the order that a statement asks for.
   *
   * <p>Through a pooler ({@link PgConnectOptions#setUseLayer7Proxy}) nothing is prepared and nothing is set:
   * sessions are shared, so the settings belong to the role.
   *
   * @param lockTimeout how long a statement waits for a row before it is rolled back and sent again
   * @param statementTimeout how long a statement may take
   */
  public static PgConnectOptions tuned(
      PgConnectOptions options, Duration lockTimeout, Duration statementTimeout) {
    PgConnectOptions tuned = plain(options);
    if (options.getUseLayer7Proxy()) {
      return tuned;
    }
    tuned.addProperty("enable_seqscan", "off");
    tuned.addProperty("enable_mergejoin", "off");
    tuned.addProperty(OPERATOR_COST, LITTLE);
    tuned.addProperty("jit", "off");
    tuned.addProperty("plan_cache_mode", "force_generic_plan");
    tuned.addProperty("lock_timeout", String.valueOf(lockTimeout.toMillis()));
    tuned.addProperty("statement_timeout", String.valueOf(statementTimeout.toMillis()));
    return tuned;
  }

  /**
   * A copy of {@code options} for a connection of its own, such as that of a migration or of LISTEN. Its transactions
   * are of the isolation that all statements are written for, whatever the role or the database has as its default.
   */
  public static PgConnectOptions plain(PgConnectOptions options) {
    PgConnectOptions plain = cached(options);
    if (!options.getUseLayer7Proxy()) {
      for (Map.Entry<String, String> each : PgConnectOptions.DEFAULT_PROPERTIES.entrySet()) {
        if (!plain.getProperties().containsKey(each.getKey())) { // an address can have lost them
          plain.addProperty(each.getKey(), each.getValue());
        }
      }
      plain.addProperty("client_min_messages", "warning");
      plain.addProperty("default_transaction_isolation", ISOLATION);
      plain.addProperty(
          "statement_timeout", "0"); // the role's own would end migrations again and again
      SILENT_CLIENTS.forEach(plain::addProperty);
    }
    return plain;
  }

  /**
   * A copy with everything that was set, and what its {@code sslmode} needs to work: {@code sslrootcert}, {@code
   * sslcert}, {@code sslkey} and {@code passfile} of an address are files, as for libpq. The copy constructor of
   * vertx-pg-client 5.0.8 forgets {@link PgConnectOptions#setUseLayer7Proxy}.
   * Throws {@code ConfigurationInvalid} for files that cannot be read, and for hosts that are not understood.
   */
  public static PgConnectOptions copy(PgConnectOptions options) {
    return PgServers.checked(PasswordFile.complete(TlsSettings.complete(exact(options))));
  }

  /** A copy as it is. */
  static PgConnectOptions exact(PgConnectOptions options) {
    PgConnectOptions copy =
        new PgConnectOptions(options).setUseLayer7Proxy(options.getUseLayer7Proxy());
    return options instanceof LoginOptions asking ? asking.with(copy) : copy;
  }

  private static PgConnectOptions cached(PgConnectOptions options) {
    PgConnectOptions copy = copy(options);
    copy.setCachePreparedStatements(!options.getUseLayer7Proxy());
    copy.setPreparedStatementCacheMaxSize(CACHED_STATEMENTS);
    copy.setPreparedStatementCacheSqlFilter(statement -> true);
    String name = copy.getProperties().get(APPLICATION_NAME);
    if (Objects.equals(name, PgConnectOptions.DEFAULT_PROPERTIES.get(APPLICATION_NAME))) {
      copy.addProperty(APPLICATION_NAME, "runlane");
    }
    return copy;
  }
}
