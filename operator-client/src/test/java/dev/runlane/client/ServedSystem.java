package dev.runlane.client;

import static java.util.concurrent.TimeUnit.SECONDS;

import dev.runlane.console.ConsoleOptions;
import dev.runlane.console.OperatorConsole;
import dev.runlane.jobs.memory.MemoryJobStore;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.lane.Lanes;
import dev.runlane.operator.log.LogLevel;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/** A system with workers on a real Postgres, and its console. */
final class ServedSystem implements AutoCloseable {
  private static final PostgresAddress DATABASE = PostgresServers.shared().createDatabase("client");

  /** Succeeds with its number, fails for a negative one. */
  static final Task<Integer> CHARGE = Task.define("charge", Integer.class)
      .retry(RetryPolicy.attempts(1))
      .singletonKey(number -> "charge-" + number)
      .handler((number, context) -> {
        context.log(LogLevel.INFO, "charging", Map.of("number", number.toString()));
        return number < 0
            ? Future.failedFuture(RunlaneException.of(ErrorCode.TASK_FAILED, "card declined"))
            : Future.succeededFuture(TaskResult.done(number));
      });

  final Vertx vertx = Vertx.vertx();
  final Promise<TaskResult> held = Promise.promise();
  final Task<String> hold =
      Task.define("hold", String.class).handler((text, context) -> held.future());
  final Runlane runlane;
  final Jobs jobs;
  final int port;

  private final OperatorConsole console;

  ServedSystem(ConsoleOptions options) {
    PgStorageAdapter storage = PgStorageAdapter.create(
        vertx,
        new PgStorageOptions().setConnectOptions(PgConnectOptions.fromUri(DATABASE.toUri())));
    runlane = Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .queue(TaskQueue.of("default").asDefault())
        .queue(TaskQueue.of("bounded").concurrencyLimit(2))
        .task(CHARGE)
        .task(hold)
        .build();
    await(runlane.deploy(vertx, new RunlaneDeployment()));
    JobStore store = new MemoryJobStore();
    await(store.connect());
    jobs = Jobs.create(vertx, store);
    console = OperatorConsole.create(vertx, runlane, new ConsoleOptions(options).setPort(0))
        .withJobs(jobs);
    port = await(console.start());
  }

  /** In the database itself. */
  void sql(String statement) {
    PgConnection connection =
        await(PgConnection.connect(vertx, PgConnectOptions.fromUri(DATABASE.toUri())));
    await(connection.query(statement).execute().eventually(connection::close));
  }

  /** A client without a token. */
  ApiClient client() {
    return ApiClient.create(vertx, options());
  }

  /** A client with one. */
  ApiClient client(String token) {
    return ApiClient.create(vertx, options(), () -> Future.succeededFuture(token));
  }

  ApiClientOptions options() {
    return new ApiClientOptions().setUrl("http://127.0.0.1:" + port);
  }

  static <T> T await(Future<T> future) {
    try {
      return future.await(70, SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    }
  }

  @Override
  public void close() {
    held.tryComplete(TaskResult.done());
    await(console.close());
    await(jobs.close());
    await(runlane.close());
    await(vertx.close());
  }
}
