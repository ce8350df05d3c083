package dev.runlane.jobs.postgres;

import dev.runlane.jobs.JobState;
import dev.runlane.jobs.store.JobStoreOptions;
import dev.runlane.jobs.store.Obliterate;
import io.vertx.core.CompositeFuture;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** Makes a bulk change of each kind, each of a queue of its own, all at once. Arguments: a database and a schema. */
public final class BulkProgram {
  /** What its connections are called. */
  public static final String NAME = "bulk-program";

  /** The changes, by the queue they are made of. */
  public static final Map<String, Function<PgJobStore, Future<?>>> CHANGES = Map.of(
      "retried", store -> store.retryJobs("retried", JobState.FAILED),
      "promoted", store -> store.promoteJobs("promoted"),
      "cleaned",
          store -> store.clean(
              "cleaned", JobState.FAILED, Duration.ZERO, JobScene.NOON.plus(Duration.ofHours(1))),
      "drained", store -> store.drain("drained", JobScene.NOON),
      "obliterated", store -> store.obliterate("obliterated", Obliterate.FORCED, JobScene.NOON));

  private BulkProgram() {}

  /** Ends when all changes are made. */
  public static void main(String[] arguments) throws TimeoutException {
    Vertx vertx = Vertx.vertx();
    PgJobStore store = PgJobStore.create(
        vertx,
        new PgJobStoreOptions()
            .setSchema(arguments[1])
            .setLockTimeout(Duration.ofMinutes(5)) // what it waits for is a lock of the test's
            .setStatementTimeout(Duration.ofMinutes(5))
            .setPoolOptions(new PoolOptions().setMaxSize(CHANGES.size()))
            .setConnectOptions(
                PgConnectOptions.fromUri(arguments[0]).addProperty("application_name", NAME))
            .setStoreOptions(new JobStoreOptions().setAutoMigrate(false)));
    store
        .connect()
        .compose(connected -> changeAll(store))
        .eventually(store::disconnect)
        .eventually(vertx::close)
        .await(5, TimeUnit.MINUTES);
  }

  private static Future<CompositeFuture> changeAll(PgJobStore store) {
    return Future.join(new TreeMap<>(CHANGES)
        .values().stream().map(change -> change.apply(store)).toList());
  }

  /** One in a JVM of its own. */
  public static Process start(String database, String schema) throws IOException {
    return new ProcessBuilder(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx96m",
            "-cp",
            System.getProperty("java.class.path"),
            BulkProgram.class.getName(),
            database,
            schema))
        .inheritIO()
        .start();
  }
}
