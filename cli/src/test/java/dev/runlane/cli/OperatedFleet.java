package dev.runlane.cli;

import static java.util.concurrent.TimeUnit.SECONDS;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runlane.cli.run.Interruption;
import dev.runlane.cli.terminal.Terminal;
import dev.runlane.lane.Lanes;
import dev.runlane.operator.LogLevel;
import dev.runlane.operator.task.PublishTasks;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
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
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A worker on a real Postgres, in a schema of its own, and the command beside it in the test's own process. */
final class OperatedFleet implements AutoCloseable {
  static final TaskQueue DEFAULT = TaskQueue.of("default").asDefault();
  static final TaskQueue ONE = TaskQueue.of("one").concurrencyLimit(1);

  /** Succeeds with its number, fails for a negative one. */
  static final Task<Integer> CHARGE = Task.define("charge", Integer.class)
      .retry(RetryPolicy.attempts(1))
      .handler((number, context) -> {
        context.log(LogLevel.INFO, "charging", Map.of("number", number.toString()));
        return number < 0
            ? Future.failedFuture(RunlaneException.of(ErrorCode.TASK_FAILED, "card declined"))
            : Future.succeededFuture(TaskResult.done(number));
      });

  private static final PostgresAddress DATABASE =
      PostgresServers.shared().createDatabase("operated");
  private static final AtomicInteger SCHEMAS = new AtomicInteger();
  private static final ObjectMapper JSON = new ObjectMapper();

  final String schema = "operated_" + SCHEMAS.incrementAndGet();
  final Vertx vertx = Vertx.vertx();
  final Runlane worker;
  final Promise<TaskResult> held = Promise.promise();

  /** Ends when the test completes {@link #held}; one at a time. */
  final Task<String> hold =
      Task.define("hold", String.class).queue(ONE).handler((text, context) -> held.future());

  OperatedFleet() {
    PgStorageAdapter storage = PgStorageAdapter.create(
        vertx, new PgStorageOptions().setSchema(schema).setConnectOptions(connect()));
    worker = Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .queues(List.of(DEFAULT, ONE))
        .tasks(List.of(CHARGE, hold))
        .build();
    await(worker.start());
  }

  /** Lets the worker work; until then runs wait. */
  OperatedFleet working() {
    await(worker.deploy(vertx, new RunlaneDeployment()));
    return this;
  }

  /** Says, as another process, that it has this task. */
  void publish(RuntimeTask task) {
    Instant now = Instant.now();
    await(worker
        .lane()
        .storage()
        .operator()
        .orElseThrow()
        .publishTasks(
            new PublishTasks(new Environment("default"), "elsewhere", now, List.of(task), now)));
  }

  static PgConnectOptions connect() {
    return PgConnectOptions.fromUri(DATABASE.toUri());
  }

  static PostgresAddress database() {
    return DATABASE;
  }

  /** What the environment of the command says: never its options, as it should be used. */
  Map<String, String> variables() {
    return new TreeMap<>(
        Map.of("RUNLANE_DATABASE", DATABASE.toUri(), "RUNLANE_SCHEMA", schema, "USER", "ada"));
  }

  /** Runs the command, its output a file. */
  Printed runlane(String... arguments) {
    return Printed.by(variables(), Terminal.NONE, arguments);
  }

  /** Runs the command at a terminal of such a width. */
  Printed at(Terminal terminal, String... arguments) {
    return Printed.by(variables(), terminal, arguments);
  }

  Printed interruptible(Interruption interruption, String... arguments) {
    return Printed.by(interruption, variables(), Terminal.NONE, arguments);
  }

  JsonNode json(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--json");
    Printed printed = runlane(all.toArray(String[]::new));
    try {
      return JSON.readTree(printed.out());
    } catch (JsonProcessingException notJson) {
      throw new AssertionError(printed.toString(), notJson);
    }
  }

  RunRecord charged(int number) {
    return await(worker.trigger(CHARGE, number)).run();
  }

  /** Triggers one, and works on whatever is due next. */
  RunRecord ended(int number) {
    RunRecord run = charged(number);
    await(worker.executeNext());
    return get(run.id());
  }

  /** Says that the schedule {@code nightly} of its task made the run on such a day. */
  void fired(int day, RunRecord run) {
    sql(
        "INSERT INTO {schema}.schedule_definitions (env, task_id, schedule_id, definition, counts_from, last_seen)"
            + " SELECT env, 'charge', 'nightly', '@daily', now(), now() FROM {schema}.environments ON CONFLICT DO NOTHING");
    sql(
        "INSERT INTO {schema}.schedule_occurrences (env, occurrence_id, schedule_id, fire_at, status, claim_token,"
            + " claim_expires_at, run_ids, updated_at) SELECT env, 'o" + day
            + "', 'nightly', '2026-01-"
            + day + "T00:00:00Z', 'completed', 'c', now(), ARRAY['" + run.id()
            + "'], now() FROM {schema}.environments");
  }

  RunRecord get(String runId) {
    return await(worker.runs().get(runId)).orElseThrow();
  }

  RowSet<Row> sql(String statement) {
    PgConnection connection = await(PgConnection.connect(vertx, connect()));
    try {
      return await(connection.query(statement.replace("{schema}", schema)).execute());
    } finally {
      await(connection.close());
    }
  }

  /** Waits for what the worker does by itself. */
  static void until(BooleanSupplier done) {
    long end = System.nanoTime() + SECONDS.toNanos(60);
    while (!done.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("it did not come");
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  static <T> T await(Future<T> future) {
    try {
      return future.await(60, SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    }
  }

  @Override
  public void close() {
    held.tryComplete(TaskResult.done());
    await(worker.close());
    await(vertx.close());
  }
}
