package dev.runlane.benchmarks.backlog;

import dev.runlane.benchmarks.measure.ScratchServer;
import dev.runlane.benchmarks.measure.Sql;
import dev.runlane.benchmarks.measure.TimedCalls;
import dev.runlane.jobs.postgres.PgJobStore;
import dev.runlane.jobs.postgres.PgJobStoreOptions;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.testinfra.postgres.PostgresAddress;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import java.util.Map;

/**
 * What single calls cost on a scratch Postgres in which very much waits: jobs of ten thousand groups, a failed queue
 * that is retried, and runs of tasks that the process does not have. A call that does not do what it should ends the
 * program with an error.
 */
public final class BacklogProgram {
  private static final int JOBS = 1_000_000;
  private static final int RETRIED = 300_000;
  private static final int RUNS = 300_000;

  private BacklogProgram() {}

  /**
   * {@code [PART]}: the part in per cent of what waits otherwise, {@value #JOBS} jobs, {@value #RETRIED} failed
   * ones and {@value #RUNS} runs; 100 unless given.
   */
  public static void main(String[] args) {
    int part = args.length > 0 ? Integer.parseInt(args[0]) : 100;
    Vertx vertx = Vertx.vertx();
    try (ScratchServer server = ScratchServer.start(Map.of())) {
      System.out.println("On " + server.description());
      TimedCalls calls = new TimedCalls(server.pid());
      jobs(vertx, server, calls, part);
      runs(vertx, server, calls, part);
    } finally {
      TimedCalls.await(vertx.close()); // whose threads would otherwise outlive a failure
    }
  }

  private static void jobs(Vertx vertx, ScratchServer server, TimedCalls calls, int part) {
    PostgresAddress database = server.createDatabase();
    PgJobStore store =
        PgJobStore.create(vertx, new PgJobStoreOptions().setConnectOptions(options(database)));
    TimedCalls.await(store.connect());
    JobBacklog backlog = new JobBacklog(store, vertx.getOrCreateContext(), calls);
    Runnable vacuum = () -> vacuum(server, database);
    backlog.measure(JOBS / 100 * part, vacuum).forEach(each -> System.out.println(each.encode()));
    System.out.println(backlog.measureRetry(RETRIED / 100 * part, vacuum).encode());
    TimedCalls.await(store.disconnect());
  }

  private static void runs(Vertx vertx, ScratchServer server, TimedCalls calls, int part) {
    PostgresAddress database = server.createDatabase();
    PgStorageAdapter storage =
        PgStorageAdapter.create(vertx, new PgStorageOptions().setConnectOptions(options(database)));
    new RunBacklog(vertx, storage, calls)
        .measure(RUNS / 100 * part, () -> vacuum(server, database))
        .forEach(each -> System.out.println(each.encode()));
  }

  private static PgConnectOptions options(PostgresAddress database) {
    return PgConnectOptions.fromUri(database.toUri());
  }

  private static void vacuum(ScratchServer server, PostgresAddress database) {
    try (Sql sql = server.open(database)) {
      sql.execute("VACUUM ANALYZE");
    }
  }
}
