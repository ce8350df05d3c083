package dev.runlane.cli;

import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.cli.option.RunLimits;
import dev.runlane.cli.report.ExitCode;
import dev.runlane.cli.run.Waiting;
import dev.runlane.connector.controller.ConnectorControllerOptions;
import dev.runlane.connector.controller.registry.ConnectorRegistry;
import dev.runlane.connector.controller.registry.SecretSource;
import dev.runlane.connector.process.ChildProcessOptions;
import dev.runlane.connector.run.request.ConnectorRunOptions;
import dev.runlane.connector.schedule.ConnectorRetentionOptions;
import dev.runlane.connector.server.ConnectorServer;
import dev.runlane.connector.server.ConnectorServerOptions;
import dev.runlane.connector.store.pg.PgConnectorStore;
import dev.runlane.connector.store.pg.PgConnectorStoreOptions;
import dev.runlane.lane.Lanes;
import dev.runlane.runtime.maintenance.RetentionOptions;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.pgclient.PgConnectOptions;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One server of connectors, from its start to Ctrl-C. */
final class ServedConnectors {
  private final ConnectorRegistry connectors;
  private final int port;
  private final @Nullable Path secrets;
  private final @Nullable Duration retention;
  private final ConnectorRunOptions runs;
  private final ChildProcessOptions children;
  private final Commands surroundings;
  private final String token = new Ids(Clock.system(), Randomness.system()).token();

  ServedConnectors(
      ConnectorRegistry connectors,
      int port,
      @Nullable Path secrets,
      @Nullable Duration retention,
      RunLimits limits,
      Commands surroundings) {
    this.connectors = connectors;
    this.port = port;
    this.secrets = secrets;
    this.retention = retention;
    this.runs = limits.runOptions();
    this.children = limits.processOptions();
    this.surroundings = surroundings;
  }

  /** Serves until it is interrupted. Returns once nothing of it is left. */
  ExitCode over(String database) {
    Vertx vertx = Vertx.vertx(new VertxOptions()
        .setFileSystemOptions(new FileSystemOptions()
            .setFileCachingEnabled(false)
            .setClassPathResolvingEnabled(false)));
    try {
      ConnectorServer server = server(vertx, DatabaseOptions.parsed(database));
      int listening = Waiting.on(server.start());
      announce(listening);
      surroundings.interruption().requested().join();
      Waiting.on(server.close());
      surroundings.out().println("Ended");
      return ExitCode.INTERRUPTED;
    } finally {
      Waiting.on(vertx.close());
    }
  }

  private ConnectorServer server(Vertx vertx, PgConnectOptions database) {
    PgConnectorStore store =
        PgConnectorStore.create(vertx, new PgConnectorStoreOptions().setConnectOptions(database));
    PgStorageAdapter storage =
        PgStorageAdapter.create(vertx, new PgStorageOptions().setConnectOptions(database));
    return new ConnectorServer(
        vertx,
        store,
        Lanes.create(storage, storage.notifyTransport()),
        storage::on,
        options(System.getenv()));
  }

  private ConnectorServerOptions options(Map<String, String> environment) {
    ConnectorServerOptions options = new ConnectorServerOptions()
        .setConnectors(connectors)
        .setSecrets(secrets(environment))
        .setController(new ConnectorControllerOptions().setHostEnvironment(environment))
        .setRuns(runs)
        .setChildren(children)
        .setPort(port)
        .setOwnerToken(token);
    return retention == null
        ? options
        : options
            .setRunRetention(new RetentionOptions().setOlderThan(retention))
            .setRetention(new ConnectorRetentionOptions()
                .setEventsOlderThan(retention)
                .setEntriesOlderThan(retention)
                .setChangesOlderThan(retention));
  }

  private SecretSource secrets(Map<String, String> environment) {
    if (secrets != null) {
      return SecretSource.file(secrets);
    }
    return environment.containsKey("RUNLANE_SECRETS")
        ? SecretSource.handedOver(environment)
        : SecretSource.environment(environment);
  }

  private void announce(int listening) {
    String address = "http://" + ConnectorServerOptions.DEFAULT_HOST + ":" + listening + "/_ref";
    String first = connectors.all().iterator().next().manifest().connectorId();
    String names = connectors.all().stream()
        .map(each -> each.manifest().connectorId() + (each.isRunnable() ? "" : " (described only)"))
        .collect(Collectors.joining(", "));
    PrintStream out = surroundings.out();
    out.println("Serving " + names + " at " + address);
    out.println("  TOKEN=" + token);
    out.println(
        "  curl -H \"Authorization: Bearer $TOKEN\" '" + address + "/connectors?limit=100'");
    out.println("  curl -H \"Authorization: Bearer $TOKEN\" -X POST " + address + "/connectors/"
        + first + "/run");
    out.println("  curl -H \"Authorization: Bearer $TOKEN\" " + address + "/runs");
    out.println("Ctrl-C ends it");
    out.flush();
  }
}
