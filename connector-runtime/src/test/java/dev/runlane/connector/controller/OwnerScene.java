package dev.runlane.connector.controller;

import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.testinfra.postgres.ReusedSchemas;
import dev.runlane.testinfra.postgres.ReusedSessions;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One schema without rows and two registries, and the controllers that a test starts over them. */
final class OwnerScene implements AutoCloseable {
  static final String RECORD = "echo '{\"type\":\"RECORD\",\"stream\":\"books\",\"key\":\"1\","
      + "\"emitted_at\":\"2026-01-01T00:00:00Z\",\"data\":{\"isbn\":\"1\"}}'\n";
  static final String STATE =
      "echo '{\"type\":\"STATE\",\"stream\":\"books\",\"cursor\":{\"page\":1}}'\n";

  private static final PostgresAddress DATABASE =
      PostgresServers.shared().createDatabase("connector_owner");

  /** A host opens some ten connections: to start a server process for each takes long. */
  private static final ReusedSessions SESSIONS = new ReusedSessions(DATABASE);

  private static final ReusedSchemas SCHEMAS = new ReusedSchemas("owner_");

  /** What has to be done to schemas beside hosts. */
  private static final Pool BESIDE = PgBuilder.pool()
      .with(new PoolOptions().setMaxSize(1))
      .connectingTo(PgConnectOptions.fromUri(DATABASE.toUri()))
      .using(Vertx.vertx())
      .build();

  final Map<String, String> environment = new HashMap<>();
  final List<OwnerHost> hosts = new ArrayList<>();
  final Path fixtures;
  final Path polyfills;

  private final Path registries;
  private final String schema = SCHEMAS.take();
  private boolean isAltered;

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

  /** Changes what is more than rows; {@code {s}} is the schema, which no other case gets afterwards. */
  void alter(String statement) {
    isAltered = true;
    OwnerHost.await(BESIDE.query(statement.replace("{s}", schema)).execute());
  }

  Map<String, String> stored() {
    return StoredRows.of(hosts.get(0).vertx, SESSIONS.address(), schema);
  }

  String schema() {
    return schema;
  }

  /** Starts {@link OwnerHost#main} for a host of this scene in a process of its own; it may be told more. */
  List<String> command() {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:-BytecodeVerificationRemote",
        "-cp",
        System.getProperty("java.class.path"),
        OwnerHost.class.getName(),
        SESSIONS.address().toUri(),
        schema,
        registries.toString());
  }

  @Override
  public void close() {
    hosts.forEach(OwnerHost::close);
    if (!isAltered) {
      OwnerHost.await(BESIDE.query(ReusedSchemas.emptying(schema)).execute());
      SCHEMAS.giveBack(schema);
    }
  }
}
