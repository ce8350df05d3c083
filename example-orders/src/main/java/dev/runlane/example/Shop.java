package dev.runlane.example;

import dev.runlane.console.ConsoleOptions;
import dev.runlane.console.OperatorConsole;
import dev.runlane.lane.Lane;
import dev.runlane.lane.Lanes;
import dev.runlane.runtime.DeployedRunlane;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.RunlaneRole;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The shop's runtime in this process. */
final class Shop {
  static final Duration DRAIN = Duration.ofSeconds(5);

  /** A start after a crash waits this long before it takes over what was running. */
  private static final Duration LEASE = Duration.ofSeconds(5);

  private static final int CONCURRENCY = 32;

  private final Vertx vertx;
  private final OrderTasks tasks;
  private final Runlane runlane;
  private @Nullable DeployedRunlane deployed;
  private @Nullable OperatorConsole console;

  private Shop(Vertx vertx, OrderTasks tasks, Runlane runlane) {
    this.vertx = vertx;
    this.tasks = tasks;
    this.runlane = runlane;
  }

  /** A shop that keeps its runs in this Postgres, not opened yet. */
  static Shop on(Vertx vertx, PgStorageOptions postgres) {
    PgStorageAdapter storage = PgStorageAdapter.create(vertx, postgres);
    return over(vertx, Lanes.create(storage, storage.notifyTransport()));
  }

  /** A shop over this lane, not opened yet. */
  static Shop over(Vertx vertx, Lane lane) {
    Clock clock = Clock.system();
    OrderTasks tasks = new OrderTasks(new Payments(clock, Timers.of(vertx)), new Carrier(clock));
    Runlane runlane = Runlane.builder(vertx, lane)
        .options(new RunlaneOptions().setLeaseDuration(LEASE))
        .queues(OrderTasks.queues())
        .tasks(tasks.all())
        .build();
    return new Shop(vertx, tasks, runlane);
  }

  /** What a process does that takes all roles. */
  static RunlaneDeployment everything() {
    return new RunlaneDeployment()
        .setWorker(new WorkerOptions().setConcurrency(CONCURRENCY).setDrainTimeout(DRAIN));
  }

  /** What a process does that leaves the work to others. */
  static RunlaneDeployment publishing() {
    return new RunlaneDeployment().setRoles(Set.of(RunlaneRole.OUTBOX_PUBLISHER));
  }

  /** Lets the runtime read and write, without working on anything itself. */
  Future<Void> start() {
    return runlane.start();
  }

  /** Starts working: what earlier starts left goes on from here. */
  Future<Void> open(RunlaneDeployment roles) {
    return runlane.deploy(vertx, roles).map(running -> {
      deployed = running;
      return null;
    });
  }

  /** Serves the web console on a free port of the loopback address; completes with where it is. */
  Future<String> serveConsole() {
    OperatorConsole served =
        OperatorConsole.create(vertx, runlane, new ConsoleOptions().setPort(0));
    console = served;
    return served.start().map(port -> "http://127.0.0.1:" + port);
  }

  /** Gives back what is under way, so that the next start need not wait for it, and disconnects. */
  Future<Void> close() {
    Future<Void> silent = console == null ? Future.succeededFuture() : console.close();
    return silent.eventually(this::closeRuntime);
  }

  private Future<Void> closeRuntime() {
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
