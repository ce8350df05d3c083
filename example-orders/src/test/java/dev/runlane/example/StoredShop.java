package dev.runlane.example;

import static java.util.concurrent.TimeUnit.SECONDS;

import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.operate.Runs;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.testinfra.postgres.EmbeddedPostgres;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeoutException;

/** What a program that has ended left in its folder, read through a runtime that works on nothing. */
final class StoredShop implements AutoCloseable {
  private final EmbeddedPostgres postgres;
  private final Vertx vertx = Vertx.vertx();
  private final Shop shop;

  private StoredShop(EmbeddedPostgres postgres) {
    this.postgres = postgres;
    shop = Shop.on(
        vertx, new PgStorageOptions().setConnectOptions(OrdersSession.connectOptions(postgres)));
  }

  static StoredShop in(Path data) {
    StoredShop stored =
        new StoredShop(EmbeddedPostgres.builder().dataFolder(data).start());
    await(stored.shop.start());
    return stored;
  }

  /** Every run of a task. */
  List<RunSummary> runs(String taskId) {
    return await(new RunPages(shop.runlane().runs())
        .read(RunFilter.ALL.withTaskIds(List.of(taskId)), 100_000));
  }

  /** Those of them with this status. */
  List<RunSummary> runs(String taskId, RunStatus status) {
    return runs(taskId).stream().filter(run -> run.status() == status).toList();
  }

  /** The run after checking that its history, replayed from nothing, makes it. */
  RunRecord replayed(String runId) {
    Runs runs = shop.runlane().runs();
    RunRecord run = await(runs.get(runId)).orElseThrow();
    List<RunEventRecord> events = await(runs.events(runId)).data();
    RunRecord replay = RunReducer.projectRunEvents(
        null, 0, events.stream().map(RunEventRecord::event).toList());
    if (!replay.equals(run)) {
      throw new AssertionError("the history makes " + replay + ", but stored is " + run);
    }
    return run;
  }

  @Override
  public void close() {
    await(shop.close());
    await(vertx.close());
    postgres.close();
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(60, SECONDS);
    } catch (TimeoutException slow) {
      throw new AssertionError(slow);
    }
  }
}
