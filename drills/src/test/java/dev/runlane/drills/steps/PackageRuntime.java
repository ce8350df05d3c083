package dev.runlane.drills.steps;

import dev.runlane.drills.fleet.DrillRuntime;
import dev.runlane.drills.fleet.DrillTables;
import dev.runlane.drills.fleet.DrillTarget;
import dev.runlane.drills.fleet.DrillTasks;
import dev.runlane.lane.Lanes;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.RemoteStep;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.List;

/** A runtime whose remote steps are done by workers of the published Node package. Not started. */
final class PackageRuntime {
  /** The name of all steps, and the group of their workers. */
  static final String STEP = "mixed";

  /** How many steps a run has. */
  static final int STEPS = 4;

  private static final RemoteStep<Answer> ASKED = RemoteStep.of(STEP, Answer.class)
      .retry(RetryPolicy.attempts(20).fixedDelay(Duration.ofMillis(50)));
  private static final int FAILS = 3;

  private final String environment;
  private final String name;
  private final Pool pool;
  private final Task<Integer> task;
  private final Runlane runlane;

  private PackageRuntime(Vertx vertx, DrillTarget target, StepTables tables, String name) {
    this.environment = target.environment();
    this.name = name;
    PgConnectOptions connect = PgConnectOptions.fromUri(target.uri());
    pool = PgBuilder.pool()
        .connectingTo(connect)
        .with(new PoolOptions().setMaxSize(2))
        .using(vertx)
        .build();
    PgStorageAdapter storage = PgStorageAdapter.create(
        vertx,
        new PgStorageOptions()
            .setConnectOptions(connect)
            .setPoolOptions(new PoolOptions().setMaxSize(5)));
    task = Task.define("drill.package", Integer.class)
        .handler((number, context) -> called(context).compose(done -> ask(number, context)));
    runlane = Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .stepTransport(tables.transport(vertx))
        .queues(DrillTasks.QUEUES)
        .task(task)
        .options(new RunlaneOptions()
            .setEnvironment(environment)
            .setLeaseDuration(target.lease())
            .setOutboxClaim(DrillRuntime.CLAIM))
        .build();
  }

  static PackageRuntime create(Vertx vertx, DrillTarget target, StepTables tables, String name) {
    return new PackageRuntime(vertx, target, tables, name);
  }

  /** What the run of a number ends with. */
  static String output(int number) {
    return "[\"%1$s-0\",\"%1$s-1\",\"%1$s-2\",\"%1$s-3\"]".formatted(number);
  }

  private Future<?> called(TaskContext context) {
    return pool.preparedQuery(DrillTables.INSERT_EFFECT)
        .execute(Tuple.of(environment, context.runId(), context.attempt(), name));
  }

  /** One step, two side by side, and one more. */
  private static Future<TaskResult> ask(int number, TaskContext context) {
    return ask(number, 0, context).compose(first -> {
      Future<Answer> left = ask(number, 1, context);
      Future<Answer> right = ask(number, 2, context);
      return Future.all(left, right)
          .compose(both -> ask(number, 3, context))
          .map(last -> TaskResult.done(
              List.of(first.id(), left.result().id(), right.result().id(), last.id())));
    });
  }

  private static Future<Answer> ask(int number, int place, TaskContext context) {
    String id = number + "-" + place;
    return context.remote(ASKED, new Question(id, id, (number + place) % FAILS == 0));
  }

  Task<Integer> task() {
    return task;
  }

  Runlane runlane() {
    return runlane;
  }

  Future<Void> close() {
    return runlane.close().eventually(pool::close);
  }

  /**
   * What a worker of the package is asked.
   *
   * @param failFirst whether each worker's first answer is a failure
   */
  record Question(String id, String payload, boolean failFirst) {}

  /** What it answers. */
  record Answer(String id, String payload, String large) {}
}
