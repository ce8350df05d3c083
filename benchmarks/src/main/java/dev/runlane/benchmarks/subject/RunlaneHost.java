package dev.runlane.benchmarks.subject;

import dev.runlane.benchmarks.measure.Sql;
import dev.runlane.lane.Lanes;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneBuilder;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.RunlaneRole;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskHandler;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.testinfra.postgres.PostgresAddress;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.pgclient.PgConnectOptions;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One process's Vert.x, runtime and lane over NOTIFY, with one task. Its methods block. */
public final class RunlaneHost implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 600;
  private static final long LOOK_MILLIS = 20;

  private final Vertx vertx;
  private final Context context;
  private final Task<Payload> task;
  private final Runlane runlane;

  private RunlaneHost(Vertx vertx, Task<Payload> task, Runlane runlane) {
    this.vertx = vertx;
    this.task = task;
    this.runlane = runlane;
    context = vertx.getOrCreateContext();
  }

  public static RunlaneHost start(
      ProcessSettings settings, Observation observation, TaskHandler<Payload> handler) {
    Vertx vertx = Vertx.vertx(new VertxOptions());
    PgStorageAdapter storage = observation.storage(
        vertx, new PgStorageOptions().setConnectOptions(connection(settings.address())));
    Workload workload = settings.workload();
    TaskQueue queue = TaskQueue.of("load").asDefault();
    Task.Definition<Payload> definition = Task.define("noop", Payload.class);
    if (workload.partitions() > 0) {
      queue = queue.concurrencyLimit(workload.limit());
      definition =
          definition.concurrencyKey(payload -> "key-" + payload.number() % workload.partitions());
    }
    if (workload.role() == Role.ENQUEUE_KEYED) {
      definition = definition.idempotencyKey(payload -> "order-" + payload.number());
    }
    Task<Payload> task = definition.queue(queue).handler(handler);
    RunlaneBuilder builder = Runlane.builder(
            vertx, Lanes.create(storage, storage.notifyTransport()))
        .queue(queue)
        .task(task);
    Runlane runlane = observation.observe(builder).build();
    RunlaneHost host = new RunlaneHost(vertx, task, runlane);
    host.await(runlane.start());
    observation.started(vertx, runlane);
    return host;
  }

  /** Looks for work once, so that plans are made while the tables are empty and vacuumed. */
  public void lookForWork() {
    await(runlane.executeNext());
  }

  /** Lets a publisher of this process see to what triggers leave to it. */
  public void publishOutbox() {
    RunlaneDeployment publisher =
        new RunlaneDeployment().setRoles(Set.of(RunlaneRole.OUTBOX_PUBLISHER));
    await(runlane.deploy(vertx, publisher));
  }

  /** Waits until no wakeup is left in the outbox. */
  public void awaitPublished(Sql sql) {
    while (sql.number("SELECT count(*) FROM runlane.outbox_messages") > 0) {
      await(vertx.timer(LOOK_MILLIS, TimeUnit.MILLISECONDS));
    }
  }

  public static PgConnectOptions connection(PostgresAddress address) {
    return new PgConnectOptions()
        .setHost(address.host())
        .setPort(address.port())
        .setDatabase(address.database())
        .setUser(address.user())
        .setPassword(address.password());
  }

  public Vertx vertx() {
    return vertx;
  }

  public Context context() {
    return context;
  }

  public Task<Payload> task() {
    return task;
  }

  public Runlane runlane() {
    return runlane;
  }

  public <T> T await(Future<T> future) {
    try {
      return future.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException late) {
      throw new IllegalStateException("not done within " + PATIENCE_SECONDS + " s", late);
    }
  }

  @Override
  public void close() {
    await(runlane.close());
    await(vertx.close());
  }
}
