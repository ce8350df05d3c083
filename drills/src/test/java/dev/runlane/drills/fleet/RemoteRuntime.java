package dev.runlane.drills.fleet;

import dev.runlane.drills.crash.CrashPoint;
import dev.runlane.lane.Lanes;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.remote.StepDispatcherOptions;
import dev.runlane.runtime.task.RemoteStep;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.delivery.StepDeliveryOptions;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.sql.SqlStepOptions;
import dev.runlane.steps.sql.SqlStepTransport;
import dev.runlane.steps.sql.worker.SqlStepWorker;
import dev.runlane.steps.sql.worker.SqlStepWorkerOptions;
import dev.runlane.steps.sql.worker.StepCall;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A runtime whose runs ask workers over two SQL tables, and a worker of theirs. Not started. */
public final class RemoteRuntime {
  /** How long claims on tasks, results and pending steps last: one that was killed must not hold them long. */
  public static final Duration CLAIM = Duration.ofSeconds(2);

  /** What every run of {@link #mixed} ends with. */
  public static final String OUTPUT = "[\"quote\",\"local\",\"left\",\"right\",\"last\"]";

  private static final RemoteStep<String> QUOTE = RemoteStep.of("drill:quote", String.class)
      .retry(RetryPolicy.attempts(3).fixedDelay(Duration.ofMillis(50)));

  private final Vertx vertx;
  private final String environment;
  private final String name;
  private final StepTransport transport;
  private final Pool pool;
  private final Task<Integer> mixed;
  private final Task<Integer> patient;
  private final Runlane runlane;
  private final SqlStepWorker worker;

  private RemoteRuntime(Vertx vertx, DrillTarget target, String name, Optional<CrashPoint> crash) {
    this.vertx = vertx;
    this.environment = target.environment();
    this.name = name;
    PgConnectOptions connect = PgConnectOptions.fromUri(target.uri());
    pool = PgBuilder.pool()
        .connectingTo(connect)
        .with(new PoolOptions().setMaxSize(2))
        .using(vertx)
        .build();
    PgStorageAdapter postgres = PgStorageAdapter.create(
        vertx,
        new PgStorageOptions()
            .setConnectOptions(connect)
            .setPoolOptions(new PoolOptions().setMaxSize(5)));
    StepTransport steps = SqlStepTransport.postgres(
        vertx, connect, new SqlStepOptions().setPrefix(prefix(environment)).setPoolSize(4));
    StorageAdapter storage =
        crash.map(point -> point.in((StorageAdapter) postgres)).orElse(postgres);
    TransportAdapter wakeups = crash
        .map(point -> point.in((TransportAdapter) postgres.notifyTransport()))
        .orElseGet(postgres::notifyTransport);
    transport = crash.map(point -> point.in(steps)).orElse(steps);
    mixed = Task.define("drill.mixed", Integer.class)
        .handler((number, context) -> called(context).compose(done -> mixed(number, context)));
    patient = Task.define("drill.patient", Integer.class)
        .handler((number, context) -> called(context)
            .compose(done -> context.remote("drill:patience", number, Integer.class))
            .map(TaskResult::done));
    runlane = Runlane.builder(vertx, Lanes.create(storage, wakeups))
        .stepTransport(transport)
        .queues(DrillTasks.QUEUES)
        .tasks(List.of(mixed, patient))
        .options(new RunlaneOptions()
            .setEnvironment(environment)
            .setLeaseDuration(target.lease())
            .setOutboxClaim(DrillRuntime.CLAIM))
        .build();
    worker = worker();
  }

  public static RemoteRuntime create(Vertx vertx, DrillTarget target, String name) {
    return new RemoteRuntime(vertx, target, name, Optional.empty());
  }

  /** A runtime that halts its process at this point. */
  public static RemoteRuntime crashing(
      Vertx vertx, DrillTarget target, String name, CrashPoint point) {
    return new RemoteRuntime(vertx, target, name, Optional.of(point));
  }

  /** The prefix of an environment's step tables. */
  static String prefix(String environment) {
    return "drill_" + Integer.toHexString(environment.hashCode());
  }

  /** All roles, with short pauses. */
  public static RunlaneDeployment roles(String workerId) {
    return DrillRuntime.allRoles(workerId)
        .setStepDispatcher(new StepDispatcherOptions()
            .setClaimDuration(CLAIM)
            .setCheckInterval(CLAIM)
            .setRepeatDelay(Duration.ofMillis(200)))
        .setStepResults(new StepDeliveryOptions().setLease(CLAIM));
  }

  private Future<?> called(TaskContext context) {
    return pool.preparedQuery(DrillTables.INSERT_EFFECT)
        .execute(Tuple.of(environment, context.runId(), context.attempt(), name));
  }

  /** Remote steps one after the other and side by side, a local one, a sleep, and one nobody waits for. */
  private static Future<TaskResult> mixed(int number, TaskContext context) {
    return context.remote(QUOTE, number).compose(quote -> {
      Future<String> left = context.remote("drill:left", number, String.class);
      Future<String> right = context.remote("drill:right", number, String.class);
      Future<String> local =
          context.step("local", String.class, () -> Future.succeededFuture("local"));
      return Future.all(local, left, right)
          .compose(all -> context.sleep(Duration.ofMillis(100)))
          .compose(slept -> context.remote("drill:last", number, String.class))
          .compose(last -> {
            context.remote("drill:nobody", number);
            return context
                .step("end", String.class, () -> Future.succeededFuture("end"))
                .map(end -> TaskResult.done(
                    List.of(quote, local.result(), left.result(), right.result(), last)));
          });
    });
  }

  private SqlStepWorker worker() {
    SqlStepWorker made = SqlStepWorker.create(
        vertx, transport, new SqlStepWorkerOptions().setLease(CLAIM).setConcurrency(64));
    made.handle("drill:quote", RemoteRuntime::quote);
    for (String step : List.of("left", "right", "last")) {
      made.handle("drill:" + step, call -> Future.succeededFuture(call.done(step)));
    }
    made.handle(
        "drill:patience", call -> Future.succeededFuture(call.done(call.input().orElseThrow())));
    return made;
  }

  private static Future<StepOutcome> quote(StepCall call) {
    return Future.succeededFuture(
        call.task().attempt() == 1 ? call.failed("busy", "not now") : call.done("quote"));
  }

  public Task<Integer> mixed() {
    return mixed;
  }

  public Task<Integer> patient() {
    return patient;
  }

  public Runlane runlane() {
    return runlane;
  }

  /** Begins to do the steps of the runs. */
  public Future<Void> startWorker() {
    return worker.start();
  }

  public Future<Void> close() {
    return worker.stop().eventually(runlane::close).eventually(pool::close);
  }
}
