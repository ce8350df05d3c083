package dev.runlane.drills;

import dev.runlane.lane.Lane;
import dev.runlane.lane.Lanes;
import dev.runlane.runtime.CancellationFinalizerOptions;
import dev.runlane.runtime.OutboxPublisherOptions;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.RunlaneOptions;
import dev.runlane.runtime.SchedulerOptions;
import dev.runlane.runtime.WorkerOptions;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import java.time.Duration;
import java.util.function.Function;

/** A runtime on a drill's database, in a forked program or in the test itself. Not started. */
final class DrillRuntime {
  /** How long a claim of maintenance lasts: one that was killed must not hold things long. */
  static final Duration CLAIM = Duration.ofSeconds(4);

  private static final Duration PUBLISH = Duration.ofSeconds(3);
  private static final Duration SWEEP = Duration.ofSeconds(1);

  private final Vertx vertx;
  private final PgStorageAdapter storage;
  private final Pool pool;
  private final DrillTasks tasks;
  private final Runlane runlane;

  private DrillRuntime(
      Vertx vertx, DrillTarget target, String name, Function<PgStorageAdapter, Lane> lane) {
    this.vertx = vertx;
    PgConnectOptions connect = PgConnectOptions.fromUri(target.uri());
    storage = PgStorageAdapter.create(
        vertx,
        new PgStorageOptions()
            .setConnectOptions(connect)
            .setPoolOptions(new PoolOptions().setMaxSize(5)));
    pool = PgBuilder.pool()
        .connectingTo(connect)
        .with(new PoolOptions().setMaxSize(2))
        .using(vertx)
        .build();
    tasks = new DrillTasks(vertx, pool, target.environment(), name);
    runlane = Runlane.builder(vertx, lane.apply(storage))
        .queues(DrillTasks.QUEUES)
        .task(tasks.work())
        .task(tasks.batch())
        .task(tasks.scheduled())
        .options(new RunlaneOptions()
            .setEnvironment(target.environment())
            .setLeaseDuration(target.lease())
            .setOutboxClaim(CLAIM))
        .clock(() -> Clock.system().now().plus(target.clockOffset()))
        .build();
  }

  /** A runtime with the lane that needs no broker. */
  static DrillRuntime create(Vertx vertx, DrillTarget target, String name) {
    return create(vertx, target, name, DrillRuntime::plainLane);
  }

  /** A runtime with a lane of the caller's making. */
  static DrillRuntime create(
      Vertx vertx, DrillTarget target, String name, Function<PgStorageAdapter, Lane> lane) {
    return new DrillRuntime(vertx, target, name, lane);
  }

  private static Lane plainLane(PgStorageAdapter storage) {
    return Lanes.create(storage, storage.notifyTransport());
  }

  /** All roles, with short pauses. */
  static RunlaneDeployment allRoles(String workerId) {
    return new RunlaneDeployment()
        .setWorker(new WorkerOptions().setWorkerId(workerId))
        .setScheduler(new SchedulerOptions().setClaimDuration(CLAIM))
        .setCancellationFinalizer(new CancellationFinalizerOptions().setIdleDelay(SWEEP))
        .setOutboxPublisher(
            new OutboxPublisherOptions().setClaimDuration(CLAIM).setPublishTimeout(PUBLISH));
  }

  Vertx vertx() {
    return vertx;
  }

  PgStorageAdapter storage() {
    return storage;
  }

  Pool pool() {
    return pool;
  }

  DrillTasks tasks() {
    return tasks;
  }

  Runlane runlane() {
    return runlane;
  }

  Future<Void> close() {
    return runlane.close().eventually(pool::close);
  }
}
