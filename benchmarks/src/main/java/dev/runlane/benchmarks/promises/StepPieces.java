package dev.runlane.benchmarks.promises;

import static dev.runlane.benchmarks.promises.Instance.await;

import dev.runlane.benchmarks.measure.Sql;
import dev.runlane.steps.sql.SqlStepOptions;
import dev.runlane.steps.sql.SqlStepTransport;
import dev.runlane.steps.sql.worker.SqlStepWorker;
import dev.runlane.steps.sql.worker.SqlStepWorkerOptions;
import dev.runlane.steps.task.ListMissingSteps;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.process.Poll;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Rows of steps that a program writes which sends no signals. */
final class StepPieces {
  private static final int ROWS = 31;
  private static final long BETWEEN_ROWS = 400;

  private StepPieces() {}

  static List<Figure> unsigned(Site site) {
    return List.of(
        Figure.told(
            "pick-up of a row written without a signal, p50, ms",
            "100 to 200",
            pickUp(site, new SqlStepOptions())),
        Figure.atMost(
            20,
            "the same with `setSignalTriggers(true)`, p50, ms",
            "100 to 200",
            pickUp(site, new SqlStepOptions().setSignalTriggers(true))));
  }

  /** Half of the rows are picked up sooner. */
  private static double pickUp(Site site, SqlStepOptions options) {
    PostgresAddress database = site.createDatabase();
    Vertx vertx = Vertx.vertx();
    ConcurrentLinkedQueue<Promise<Long>> awaited = new ConcurrentLinkedQueue<>();
    SqlStepTransport transport = SqlStepTransport.postgres(vertx, Site.direct(database), options);
    SqlStepWorker worker = SqlStepWorker.create(vertx, transport, new SqlStepWorkerOptions())
        .handle("echo", call -> {
          awaited.remove().complete(System.nanoTime());
          return Future.succeededFuture(call.done());
        });
    try (Sql sql = Site.open(database)) {
      await(transport.listMissingSteps(new ListMissingSteps(List.of()))); // makes the tables
      await(worker.start());
      double[] millis = new double[ROWS];
      for (int row = 0; row < ROWS; row++) {
        Poll.pause(BETWEEN_ROWS);
        Promise<Long> called = Promise.promise();
        awaited.add(called);
        long written = System.nanoTime();
        sql.execute("""
            INSERT INTO durable_transport_tasks
              (step_id, run_id, seq, name, grp, attempt, status, created_at)
            VALUES ('run_%1$s:0', 'run_%1$s', 0, 'echo', 'echo', 1, 'pending', %2$s)""".formatted(row, System.currentTimeMillis()));
        millis[row] = (await(called.future()) - written) / 1e6;
      }
      Arrays.sort(millis);
      return millis[ROWS / 2];
    } finally {
      await(worker.stop());
      await(transport.close());
      await(vertx.close());
    }
  }
}
