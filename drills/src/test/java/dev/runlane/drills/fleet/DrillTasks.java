package dev.runlane.drills.fleet;

import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.schedule.RegisterSchedules;
import dev.runlane.timing.fire.FireTimes;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The tasks and queues of all drills. Every handler's first act is to leave a row that it was called. */
public final class DrillTasks {
  public static final TaskQueue FREE = TaskQueue.of("drill.free").asDefault();
  public static final TaskQueue NARROW = bounded("drill.narrow", 1);
  public static final TaskQueue PAIR = bounded("drill.pair", 2);
  public static final TaskQueue WIDE = bounded("drill.wide", 5);
  public static final List<TaskQueue> QUEUES = List.of(FREE, NARROW, PAIR, WIDE);

  /** Has fired once, long ago: every scheduler of an environment wants to make its only run. */
  static final String SCHEDULE = "drill.once";

  private static final Instant FIRE = Instant.parse("2026-01-01T00:00:00Z");

  private static final RetryPolicy RETRY =
      RetryPolicy.attempts(3).fixedDelay(Duration.ofMillis(200));
  private static final Duration RELEASE = Duration.ofMillis(150);

  private final Vertx vertx;
  private final Pool pool;
  private final String environment;
  private final String worker;
  private final Task<WorkItem> work;
  private final Task<WorkItem> batch;
  private final Task<WorkItem> scheduled;

  DrillTasks(Vertx vertx, Pool pool, String environment, String worker) {
    this.vertx = vertx;
    this.pool = pool;
    this.environment = environment;
    this.worker = worker;
    work = Task.define("drill.work", WorkItem.class).retry(RETRY).handler(this::handle);
    batch = Task.define("drill.batch", WorkItem.class)
        .retry(RETRY)
        .idempotencyKey(item -> "batch-" + item.number())
        .handler(this::handle);
    scheduled = Task.define("drill.scheduled", WorkItem.class)
        .retry(RETRY)
        .schedule(
            Schedule.once(SCHEDULE, FIRE).payload(new WorkItem(0, WorkItem.Behaviour.SUCCEED, 0)))
        .handler(this::handle);
  }

  /** As if a scheduler had been at work before the only fire of the schedule: those of a drill make up for it. */
  public static Future<?> rememberSchedule(StorageAdapter storage, Environment environment) {
    return storage
        .schedules()
        .orElseThrow()
        .registerSchedules(new RegisterSchedules(
            environment,
            List.of(new RegisterSchedules.Definition(
                "drill.scheduled", SCHEDULE, FireTimes.once(FIRE).definition())),
            FIRE.minusSeconds(1),
            Duration.ofDays(1)));
  }

  static List<QueuePolicy> policies() {
    return QUEUES.stream().map(TaskQueue::policy).toList();
  }

  private static TaskQueue bounded(String name, int limit) {
    return TaskQueue.of(name).concurrencyLimit(limit).dispatchTimeout(Duration.ofSeconds(5));
  }

  /** Triggered one by one. */
  public Task<WorkItem> work() {
    return work;
  }

  /** Triggered many at a time, with a key made of the number. */
  public Task<WorkItem> batch() {
    return batch;
  }

  /** Triggered by a schedule. */
  Task<WorkItem> scheduled() {
    return scheduled;
  }

  private Future<TaskResult> handle(WorkItem item, TaskContext context) {
    return pool.preparedQuery(DrillTables.INSERT_EFFECT)
        .execute(Tuple.of(environment, context.runId(), context.attempt(), worker))
        .compose(stored -> pauses(item, context) ? pause(item, context) : Future.succeededFuture())
        .compose(done -> end(item, context));
  }

  private static boolean pauses(WorkItem item, TaskContext context) {
    return item.millis() > 0
        && (item.behaviour() != WorkItem.Behaviour.STAY_ONCE || context.attempt() == 1);
  }

  private Future<?> pause(WorkItem item, TaskContext context) {
    Future<?> pause = vertx.timer(item.millis());
    return switch (item.behaviour()) {
      case GIVE_UP_WHEN_ASKED, STAY_ONCE -> context.untilSignalled(pause);
      default -> pause;
    };
  }

  private static Future<TaskResult> end(WorkItem item, TaskContext context) {
    return switch (item.behaviour()) {
      case SUCCEED -> Future.succeededFuture(TaskResult.done(item.number()));
      case GIVE_UP_WHEN_ASKED, STAY_ONCE -> Future.succeededFuture(TaskResult.done());
      case FAIL_ONCE -> context.failures() == 0 ? failure(true) : done();
      case FAIL_ALWAYS -> failure(true);
      case FAIL_FOR_GOOD -> failure(false);
      case RELEASE_ONCE ->
        context.attempt() == 1
            ? Future.succeededFuture(context.release(RELEASE, "not yet"))
            : done();
    };
  }

  private static Future<TaskResult> done() {
    return Future.succeededFuture(TaskResult.done());
  }

  private static Future<TaskResult> failure(boolean retryable) {
    RunlaneException failure =
        RunlaneException.of(ErrorCode.TASK_FAILED, "this is what the drill wants");
    return Future.failedFuture(retryable ? failure.asRetryable() : failure);
  }
}
