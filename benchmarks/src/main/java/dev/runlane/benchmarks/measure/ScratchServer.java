package dev.runlane.benchmarks.measure;

import dev.runlane.testinfra.Durability;
import dev.runlane.testinfra.postgres.EmbeddedPostgres;
import dev.runlane.testinfra.postgres.PostgresAddress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The one Postgres of a measurement: durable, and with the same settings for every system. */
public final class ScratchServer implements AutoCloseable {
  private final EmbeddedPostgres server;
  private final Map<String, String> settings;

  private ScratchServer(EmbeddedPostgres server, Map<String, String> settings) {
    this.server = server;
    this.settings = settings;
  }

  /** Starts it, with more settings than those that are always the same. */
  public static ScratchServer start(Map<String, String> more) {
    return start(EmbeddedPostgres.builder().temporary(), more);
  }

  /** Starts one that keeps its databases in a folder, and has those that are there. */
  public static ScratchServer keptIn(Path folder) {
    return start(EmbeddedPostgres.builder().dataFolder(folder), Map.of());
  }

  private static ScratchServer start(EmbeddedPostgres.Builder builder, Map<String, String> more) {
    Map<String, String> settings = settings();
    settings.putAll(more);
    builder.durability(Durability.POWER_LOSS);
    settings.forEach(builder::setting);
    return new ScratchServer(builder.start(), settings);
  }

  private static Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("synchronous_commit", "on");
    settings.put("shared_buffers", "1GB");
    settings.put("max_wal_size", "16GB");
    settings.put("checkpoint_timeout", "1h");
    settings.put("max_connections", "200");
    return settings;
  }

  /** Settings and version, for the results. */
  public String description() {
    try (Sql sql = open()) {
      return "PostgreSQL " + sql.text("SHOW server_version") + ", fsync=on, " + settings;
    }
  }

  public PostgresAddress createDatabase() {
    return server.createDatabase("load");
  }

  /** The database that createDatabase() made in an earlier start, if there is one. */
  public Optional<PostgresAddress> madeBefore() {
    try (Sql sql = open()) {
      String found = sql.text("SELECT min(datname) FROM pg_database WHERE datname LIKE 'load%'");
      return found.equals("null") ? Optional.empty() : Optional.of(server.address(found));
    }
  }

  public void drop(PostgresAddress database) {
    server.dropDatabase(database.database());
  }

  public Sql open(PostgresAddress database) {
    return Sql.open(database);
  }

  /** A connection to the database that is always there. */
  public Sql open() {
    return open(server.address("postgres"));
  }

  /** The server itself, to be killed and started again. */
  public EmbeddedPostgres server() {
    return server;
  }

  public long pid() {
    return server.pid();
  }

  @Override
  public void close() {
    server.close();
  }
}
