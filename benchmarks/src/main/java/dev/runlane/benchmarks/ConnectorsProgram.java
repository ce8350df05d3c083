package dev.runlane.benchmarks;

import dev.runlane.connector.process.ChildProcessOptions;
import dev.runlane.connector.process.ChildProcesses;
import dev.runlane.connector.store.ConnectorStore;
import dev.runlane.connector.store.MemoryConnectorStore;
import dev.runlane.connector.store.pg.PgConnectorStore;
import dev.runlane.connector.store.pg.PgConnectorStoreOptions;
import dev.runlane.testinfra.PostgresAddress;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgConnectOptions;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Connectors: how many small records a second come from one child through all checks into a sink that counts them,
 * and into Postgres; and how evenly 50 children at once get on. Every record is counted.
 */
public final class ConnectorsProgram {
  private static final int MANY = 50;

  private final Vertx vertx = Vertx.vertx();
  private final ChildProcesses children =
      new ChildProcesses(vertx, Timers.of(vertx), new ChildProcessOptions());

  private ConnectorsProgram() {}

  /** {@code [RECORDS]}: how many one child sends; 2 000 000 unless given, a tenth of it into Postgres. */
  public static void main(String[] args) {
    int count = args.length > 0 ? Integer.parseInt(args[0]) : 2_000_000;
    ConnectorsProgram program = new ConnectorsProgram();
    done(program.children.start());
    program.measure("connector-warm-up", new MemoryConnectorStore(), true, 1, count / 4);
    program.measure("connector-counting", new MemoryConnectorStore(), true, 1, count);
    program.measure("connectors-counting", new MemoryConnectorStore(), true, MANY, count / 20);
    try (ScratchServer server = ScratchServer.start(Map.of())) {
      System.out.println("On " + server.description());
      PostgresAddress database = server.createDatabase();
      PgConnectorStore store = PgConnectorStore.create(
          program.vertx,
          new PgConnectorStoreOptions()
              .setConnectOptions(PgConnectOptions.fromUri(database.toUri())));
      done(store.connect());
      program.measure("connector-warm-up", store, false, 1, count / 40);
      program.measure("connector-postgres", store, false, 1, count / 10);
      program.measure("connectors-postgres", store, false, MANY, count / 200);
      done(store.close());
    }
    done(program.children.close());
    done(program.vertx.close());
  }

  private void measure(
      String workload, ConnectorStore store, boolean dropping, int connectors, int each) {
    long expected = (long) connectors * each;
    CountedStore counted = new CountedStore(store, dropping, expected);
    RecordFlood flood = new RecordFlood(vertx, children, counted);
    long began = System.nanoTime();
    done(Future.join(IntStream.range(0, connectors)
        .mapToObj(number -> flood.run(workload + "-" + each + "-" + number, each))
        .toList()));
    double seconds = (System.nanoTime() - began) / 1e9;
    if (counted.total() != expected) {
      throw new IllegalStateException(
          "%d records came, %d were sent".formatted(counted.total(), expected));
    }
    JsonObject row = new JsonObject()
        .put("workload", workload)
        .put("connectors", connectors)
        .put("records", expected)
        .put("recordsPerSecond", Math.round(expected / seconds));
    if (connectors > 1) {
      row.put("leastToMostHalfway", leastToMost(counted.countsHalfway().values(), connectors));
    }
    System.out.println(row.encode());
  }

  /** 1 where all have as many, 0 where one has none. */
  private static double leastToMost(Collection<Long> counts, int connectors) {
    long most = counts.stream().mapToLong(Long::longValue).max().orElse(0);
    long least = counts.size() < connectors
        ? 0
        : counts.stream().mapToLong(Long::longValue).min().orElse(0);
    return most == 0 ? 0 : Math.round(100.0 * least / most) / 100.0;
  }

  private static <T> T done(Future<T> future) {
    return future
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(10, TimeUnit.MINUTES)
        .join();
  }
}
