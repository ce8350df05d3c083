package dev.runlane.benchmarks.promises;

import static dev.runlane.benchmarks.promises.Instance.await;

import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.testinfra.postgres.PostgresAddress;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs that are created with their first lease while others of their partition end. */
final class QueuePieces {
  private static final int LIMIT = 5;
  private static final int CALLERS = 4; // so there is always a slot
  private static final int CREATIONS = 500;

  private QueuePieces() {}

  static List<Figure> firstLease(Site site) {
    PostgresAddress database = site.createDatabase();
    TaskQueue queue = TaskQueue.of("bounded").concurrencyLimit(LIMIT).asDefault();
    Task<Integer> task = Task.define("task", Integer.class)
        .handler((number, context) -> Future.succeededFuture(TaskResult.done()));
    AtomicInteger refused = new AtomicInteger();
    try (Instance one = Instance.onPostgres(
            Site.direct(database), (builder, vertx) -> builder.queue(queue).task(task));
        Instance two = Instance.onPostgres(
            Site.direct(database), (builder, vertx) -> builder.queue(queue).task(task))) {
      one.start();
      two.start();
      List<Future<Void>> callers = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        callers.add(create(i % 2 == 0 ? one : two, task, CREATIONS / CALLERS, refused));
      }
      await(Future.all(callers));
    }
    return List.of(Figure.atMost(
        0,
        "creations with a first lease refused though slots were free, of " + CREATIONS,
        "15 of 100",
        refused.get()));
  }

  private static Future<Void> create(
      Instance instance, Task<Integer> task, int left, AtomicInteger refused) {
    if (left == 0) {
      return Future.succeededFuture();
    }
    return instance
        .runlane()
        .runNow(task, left)
        .<Void>mapEmpty()
        .recover(failure -> {
          if (failure instanceof RunlaneException known
              && known.isConflict(StorageConflictKind.QUEUE_CAPACITY)) {
            refused.incrementAndGet();
            return Future.succeededFuture();
          }
          return Future.failedFuture(failure);
        })
        .compose(done -> create(instance, task, left - 1, refused));
  }
}
