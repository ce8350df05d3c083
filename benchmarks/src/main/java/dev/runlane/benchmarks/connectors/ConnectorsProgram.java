package dev.runlane.benchmarks.connectors;

import dev.runlane.benchmarks.measure.ScratchServer;
import dev.runlane.benchmarks.measure.Waiting;
import dev.runlane.connector.process.ChildProcessOptions;
import dev.runlane.connector.process.ChildProcesses;
import dev.runlane.connector.store.memory.MemoryConnectorStore;
import dev.runlane.connector.store.pg.PgConnectorStore;
import dev.runlane.connector.store.pg.PgConnectorStoreOptions;
import dev.runlane.timing.Timers;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Connectors: how many records a second come through all checks into a sink that counts them and into Postgres, how
 * evenly many get on at once, and whether the heap holds what a large run writes. Every record is counted.
 */
public final class ConnectorsProgram {
  private static final int MANY = 50;
  private static final int FEW_RECORDS = 2_000; // of a connector with little to send
  private static final int PADDING = 900; // of a record of about 1 KB
  private static final int LINE_BYTES = 1_000;
  private static final String USAGE =
      "records [COUNT] | fair [COUNT] | counting MEGABYTES | postgres MEGABYTES";

  private final Vertx vertx = Vertx.vertx();
  private final ChildProcesses children =
      new ChildProcesses(vertx, Timers.of(vertx), new ChildProcessOptions());
  private final ConnectorRates rates = new ConnectorRates(vertx, children);

  private ConnectorsProgram() {}

  /**
   * What is measured, {@code records} and {@code fair} unless named, and how much of it.
   *
   * <ul>
   *   <li>{@code records [COUNT]}: how many small records one child sends; a tenth of it into Postgres
   *   <li>{@code fair [COUNT]}: how many each of 50 sends into the counting sink; a tenth of it into Postgres
   *   <li>{@code counting MEGABYTES}, {@code postgres MEGABYTES}: what one child writes in records of 1 KB
   * </ul>
   */
  public static void main(String[] args) {
    String measured = args.length > 0 ? args[0] : "all";
    int size = args.length > 1 ? Integer.parseInt(args[1]) : 0;
    ConnectorsProgram program = new ConnectorsProgram();
    Waiting.on(program.children.start());
    program.measure(measured, size);
    Waiting.on(program.children.close());
    Waiting.on(program.vertx.close());
  }

  private void measure(String measured, int size) {
    switch (measured) {
      case "all" -> {
        records(2_000_000);
        fair(100_000);
      }
      case "records" -> records(size > 0 ? size : 2_000_000);
      case "fair" -> fair(size > 0 ? size : 100_000);
      case "counting" ->
        rates.measure("volume-counting", new MemoryConnectorStore(), true, 1, volume(size));
      case "postgres" ->
        onPostgres(store -> rates.measure("volume-postgres", store, false, 1, volume(size)));
      default -> throw new IllegalArgumentException(USAGE);
    }
  }

  private static ConnectorLoad volume(int megabytes) {
    if (megabytes < 1) {
      throw new IllegalArgumentException(USAGE);
    }
    return new ConnectorLoad(megabytes * 1_000_000L / LINE_BYTES, PADDING, null);
  }

  private void records(int count) {
    MemoryConnectorStore memory = new MemoryConnectorStore();
    rates.measure("connector-warm-up", memory, true, 1, ConnectorLoad.small(count / 4));
    rates.measure("connector-counting", memory, true, 1, ConnectorLoad.small(count));
    rates.measure("connectors-counting", memory, true, MANY, ConnectorLoad.small(count / 20));
    onPostgres(store -> {
      rates.measure("connector-warm-up", store, false, 1, ConnectorLoad.small(count / 40));
      rates.measure("connector-postgres", store, false, 1, ConnectorLoad.small(count / 10));
      rates.measure("connectors-postgres", store, false, MANY, ConnectorLoad.small(count / 200));
    });
  }

  private void fair(int each) {
    ConnectorFairness memory = new ConnectorFairness(vertx, children, new MemoryConnectorStore());
    memory.alike("fair-warm-up", true, MANY, each / 4);
    memory.alike("fair-counting", true, MANY, each);
    onPostgres(store -> {
      ConnectorFairness postgres = new ConnectorFairness(vertx, children, store);
      postgres.alike("fair-warm-up", false, MANY, each / 40);
      postgres.alike("fair-postgres", false, MANY, each / 10);
      postgres.besideFlood("flood-warm-up", MANY - 1, FEW_RECORDS);
      postgres.besideFlood("flood-postgres", MANY - 1, FEW_RECORDS);
    });
  }

  private void onPostgres(Consumer<PgConnectorStore> measurement) {
    try (ScratchServer server = ScratchServer.start(Map.of())) {
      System.out.println("On " + server.description());
      PgConnectorStore store = PgConnectorStore.create(
          vertx,
          new PgConnectorStoreOptions()
              .setConnectOptions(
                  PgConnectOptions.fromUri(server.createDatabase().toUri())));
      Waiting.on(store.connect());
      measurement.accept(store);
      Waiting.on(store.close());
    }
  }
}
