package dev.runlane.benchmarks.subject;

import dev.runlane.benchmarks.measure.Bursts;
import dev.runlane.benchmarks.measure.Sql;
import dev.runlane.lane.Lanes;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneBuilder;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.RunlaneRole;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskHandler;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.worker.WorkerMode;
import dev.runlane.runtime.worker.WorkerOptions;
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
import java.util.stream.IntStream;

/** One process's Vert.x, runtime and lane, with one task. Its methods block. */
public final class RunlaneHost implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 600;
  private static final long LOOK_MILLIS = 20;
  private static final int MANY = 250;

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

  /** One on the NOTIFY lane. */
  public static RunlaneHost start(ProcessSettings settings, TaskHandler<Payload> handler) {
    return start(settings, Assembly.PLAIN, handler);
  }

  static RunlaneHost start(
      ProcessSettings settings, Assembly assembly, TaskHandler<Payload> handler) {
    Vertx vertx = Vertx.vertx(new VertxOptions());
    PgStorageAdapter storage = assembly.storage(
        vertx, new PgStorageOptions().setConnectOptions(connection(settings.address())));
    Workload workload = settings.workload();
    TaskQueue queue = TaskQueue.of("load").asDefault();
    Task.Definition<Payload> definition = Task.define("noop", Payload.class);
    if (workload.keys().partitions() > 0) {
      queue = queue.concurrencyLimit(workload.keys().limit());
      definition = definition.concurrencyKey(
          payload -> "key-" + payload.number() % workload.keys().partitions());
    }
    if (workload.role() == Role.ENQUEUE_KEYED) {
      definition = definition.idempotencyKey(payload -> "order-" + payload.number());
    }
    Task<Payload> task = definition.queue(queue).handler(handler);
    RunlaneBuilder builder = Runlane.builder(
            vertx, Lanes.create(storage, assembly.transport(vertx, storage, queue, settings)))
        .queue(queue)
        .task(task);
    Runlane runlane = assembly.observe(builder).build();
    RunlaneHost host = new RunlaneHost(vertx, task, runlane);
    host.await(runlane.start());
    assembly.started(vertx, runlane);
    return host;
  }

  /** Looks for work once, so that plans are made while the tables are empty and vacuumed. */
  public void lookForWork() {
    await(runlane.executeNext());
  }

  /** Lets a publisher of this process see to what triggers leave to it. */
  public void publishOutbox() {
    deploy(new RunlaneDeployment().setRoles(Set.of(RunlaneRole.OUTBOX_PUBLISHER)));
  }

  /** Deploys roles. */
  public void deploy(RunlaneDeployment roles) {
    await(runlane.deploy(vertx, roles));
  }

  /** Deploys a worker and, where the transport shares wakeups out, a consumer with as many slots. */
  public void work(WorkerOptions worker) {
    deploy(new RunlaneDeployment()
        .setRoles(Set.of(RunlaneRole.WORKER, RunlaneRole.CONSUMER))
        .setWorker(worker));
  }

  /** Creates runs of payloads {@code from} to {@code end - 1}, with one call for many. */
  public void createMany(int callsAtOnce, int from, int end) {
    int calls = (end - from + MANY - 1) / MANY;
    await(Bursts.run(
        context,
        callsAtOnce,
        0,
        calls,
        call -> triggerAll(from + call * MANY, Math.min(end, from + (call + 1) * MANY))));
  }

  /** Creates them with one call. */
  public Future<?> triggerAll(int from, int end) {
    return runlane.triggerAll(
        task, IntStream.range(from, end).mapToObj(Payload::of).toList(), new TriggerOptions());
  }

  /** Works until the queue is empty. */
  public void drain(int concurrency) {
    WorkerOptions options =
        new WorkerOptions().setMode(WorkerMode.DRAIN).setConcurrency(concurrency);
    await(runlane.worker(options).compose(handle -> handle.closed()));
  }

  /** Waits until no wakeup is left in the outbox. */
  public void awaitPublished(Sql sql) {
    awaitNone(sql, "runlane.outbox_messages");
  }

  /** Waits until every run has ended. */
  public void awaitEnded(Sql sql) {
    awaitNone(sql, "runlane.active_runs");
  }

  private void awaitNone(Sql sql, String table) {
    while (sql.number("SELECT count(*) FROM " + table) > 0) {
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
