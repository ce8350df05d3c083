package dev.runlane.connector.controller;

import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.testinfra.postgres.ReusedSessions;
import io.vertx.pgclient.PgConnectOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** One schema and two registries, and the controllers that a test starts over them. */
final class OwnerScene implements AutoCloseable {
  static final String RECORD = "echo '{\"type\":\"RECORD\",\"stream\":\"books\",\"key\":\"1\","
      + "\"emitted_at\":\"2026-01-01T00:00:00Z\",\"data\":{\"isbn\":\"1\"}}'\n";
  static final String STATE =
      "echo '{\"type\":\"STATE\",\"stream\":\"books\",\"cursor\":{\"page\":1}}'\n";

  private static final PostgresAddress DATABASE =
      PostgresServers.shared().createDatabase("connector_owner");

  /** A host opens some ten connections: to start a server process for each takes long. */
  private static final ReusedSessions SESSIONS = new ReusedSessions(DATABASE);

  private static final AtomicInteger SCHEMAS = new AtomicInteger();

  final Map<String, String> environment = new HashMap<>();
  final List<OwnerHost> hosts = new ArrayList<>();
  final Path fixtures;
  final Path polyfills;

  private final Path registries;
  private final String schema = "owner_" + SCHEMAS.incrementAndGet();

  OwnerScene(Path registries) {
    this.registries = registries;
    environment.put("PATH", System.getenv("PATH"));
    try {
      fixtures = Files.createDirectory(registries.resolve("fixtures"));
      polyfills = Files.createDirectory(registries.resolve("polyfills"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** DONE with exit code 0. */
  static String done(int records) {
    return "echo '{\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":" + records
        + "}'\n";
  }

  static String progress(String message) {
    return "echo '{\"type\":\"PROGRESS\",\"message\":\"" + message + "\"}'\n";
  }

  /** Reads START, and fails unless it has each of these texts. */
  static String expecting(String... texts) {
    StringBuilder script = new StringBuilder("read -r start\n");
    for (String text : texts) {
      script
          .append("case $start in *'")
          .append(text)
          .append("'*) ;; *) echo \"$start\" >&2; exit 9 ;; esac\n");
    }
    return script.toString();
  }

  /** A connector that waits until it is asked to leave. */
  static String waiting() {
    return "read -r start\n" + RECORD + STATE + "exec sleep 600\n";
  }

  OwnerClient start() {
    return start(new OwnerHost.Setup());
  }

  OwnerClient start(OwnerHost.Setup setup) {
    OwnerHost host =
        new OwnerHost(SESSIONS.address().toUri(), schema, registries, environment, setup);
    hosts.add(host);
    return new OwnerClient(host.port);
  }

  PgConnectOptions address() {
    return PgConnectOptions.fromUri(SESSIONS.address().toUri());
  }

  String schema() {
    return schema;
  }

  /** The arguments of {@link OwnerHost#main} for a host of this scene in a process of its own. */
  List<String> arguments() {
    return List.of(DATABASE.toUri(), schema, registries.toString());
  }

  @Override
  public void close() {
    hosts.forEach(OwnerHost::close);
  }
}
