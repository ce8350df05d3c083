package dev.runlane.example;

import dev.runlane.lane.Lanes;
import dev.runlane.runtime.DeployedRunlane;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.RunlaneOptions;
import dev.runlane.runtime.WorkerOptions;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The shop's runtime, with every role in this process. */
final class Shop {
  /** A start after a crash waits this long before it takes over what was running. */
  private static final Duration LEASE = Duration.ofSeconds(5);

  private static final Duration DRAIN = Duration.ofSeconds(5);

  private final Vertx vertx;
  private final OrderTasks tasks;
  private final Runlane runlane;
  private @Nullable DeployedRunlane deployed;

  private Shop(Vertx vertx, OrderTasks tasks, Runlane runlane) {
    this.vertx = vertx;
    this.tasks = tasks;
    this.runlane = runlane;
  }

  /** A shop that keeps its runs in this Postgres, not opened yet. */
  static Shop on(Vertx vertx, PgStorageOptions postgres) {
    Clock clock = Clock.system();
    OrderTasks tasks = new OrderTasks(new Payments(clock, Timers.of(vertx)), new Carrier(clock));
    PgStorageAdapter storage = PgStorageAdapter.create(vertx, postgres);
    Runlane runlane = Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .options(new RunlaneOptions().setLeaseDuration(LEASE))
        .queues(tasks.queues())
        .tasks(tasks.all())
        .build();
    return new Shop(vertx, tasks, runlane);
  }

  /** Lets the runtime read and write, without working on anything itself. */
  Future<Void> start() {
    return runlane.start();
  }

  /** Starts working: what earlier starts left goes on from here. */
  Future<Void> open() {
    RunlaneDeployment roles = new RunlaneDeployment()
        .setWorker(new WorkerOptions().setConcurrency(32).setDrainTimeout(DRAIN));
    return runlane.deploy(vertx, roles).map(running -> {
      deployed = running;
      return null;
    });
  }

  /** Gives back what is under way, so that the next start need not wait for it, and disconnects. */
  Future<Void> close() {
    Future<Void> undeployed = deployed == null ? Future.succeededFuture() : deployed.undeploy();
    return undeployed.eventually(runlane::close);
  }

  OrderTasks tasks() {
    return tasks;
  }

  Runlane runlane() {
    return runlane;
  }
}
