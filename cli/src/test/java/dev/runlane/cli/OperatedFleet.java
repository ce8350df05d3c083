package dev.runlane.cli;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static java.util.regex.Pattern.DOTALL;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runlane.cli.run.Interruption;
import dev.runlane.cli.terminal.Terminal;
import dev.runlane.lane.Lanes;
import dev.runlane.operator.log.LogLevel;
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
import dev.runlane.testinfra.postgres.ReusedSchemas;
import dev.runlane.testinfra.postgres.ReusedSessions;
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
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

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

  /** Each command connects anew: to start a server process for it takes longer than most commands. */
  private static final ReusedSessions SESSIONS = new ReusedSessions(DATABASE);

  /** Most of what is waited for is seen by a command. */
  private static final long PAUSE_NANOS = MILLISECONDS.toNanos(25);

  /** Of all fleets, each of which closes what it has opened: to start and end one takes as long as a command. */
  private static final Vertx VERTX = Vertx.vertx();

  private static final AtomicInteger SCHEMAS = new AtomicInteger();
  private static final ReusedSchemas EMPTIED = new ReusedSchemas("emptied_");

  /** What the next test would notice: not what other roles may do. */
  private static final Pattern CHANGE_OF_TABLES = Pattern.compile(
      "\\s*(ALTER|CREATE(?! ROLE)|DROP|REVOKE) .*|.*(schema_migrations|pg_index).*", DOTALL);

  private static final ObjectMapper JSON = new ObjectMapper();

  final String schema;
  final Vertx vertx = VERTX;
  final Runlane worker;
  final Promise<TaskResult> held = Promise.promise();

  /** Ends when the test completes {@link #held}; one at a time. */
  final Task<String> hold =
      Task.define("hold", String.class).queue(ONE).handler((text, context) -> held.future());

  private final PostgresAddress address;
  private final @Nullable ReusedSchemas schemas;
  private final List<String> lost = new ArrayList<>(); // statements that make dropped indexes
  private boolean hasChangedTables;

  /** In a schema that nobody has used yet, nor will after, by the server's own address. */
  OperatedFleet() {
    this("operated_" + SCHEMAS.incrementAndGet(), null);
  }

  private OperatedFleet(String schema, @Nullable ReusedSchemas schemas) {
    this.address = schemas == null ? DATABASE : SESSIONS.address();
    this.schema = schema;
    this.schemas = schemas;
    PgStorageAdapter storage = PgStorageAdapter.create(
        vertx, new PgStorageOptions().setSchema(schema).setConnectOptions(way()));
    worker = Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .queues(List.of(DEFAULT, ONE))
        .tasks(List.of(CHARGE, hold))
        .build();
    await(worker.start());
  }

  /** In a schema that an earlier test has left, emptied, by its sessions: where the test changes rows alone. */
  static OperatedFleet onEmptied() {
    return onEmptied(EMPTIED);
  }

  /** The same in one of these schemas, which have tables of other modules too. */
  static OperatedFleet onEmptied(ReusedSchemas schemas) {
    return new OperatedFleet(schemas.take(), schemas);
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

  /** The way by which this fleet's worker and commands reach the database. */
  PgConnectOptions way() {
    return PgConnectOptions.fromUri(address.toUri());
  }

  /** The server's own address, for what is about connections and statistics. */
  static PgConnectOptions connect() {
    return PgConnectOptions.fromUri(DATABASE.toUri());
  }

  static PostgresAddress database() {
    return DATABASE;
  }

  /** The way by which those come who connect anew again and again. */
  static PostgresAddress sessions() {
    return SESSIONS.address();
  }

  /** What the environment of the command says: never its options, as it should be used. */
  Map<String, String> variables() {
    return new TreeMap<>(
        Map.of("RUNLANE_DATABASE", address.toUri(), "RUNLANE_SCHEMA", schema, "USER", "ada"));
  }

  /** Runs the command, its output a file. */
  Printed runlane(String... arguments) {
    List<String> given = List.of(arguments);
    hasChangedTables |=
        arguments[0].equals("migrate") && given.contains("--apply") && !given.contains("--schema");
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

  /** Executes what a test has to say beside the worker. Who changes tables keeps the schema. */
  RowSet<Row> sql(String statement) {
    hasChangedTables |= CHANGE_OF_TABLES.matcher(statement).matches();
    return execute(statement);
  }

  /** Drops an index until the test ends. */
  void dropIndex(String index) {
    lost.add(execute("SELECT pg_get_indexdef('{schema}." + index + "'::regclass)")
        .iterator()
        .next()
        .getString(0));
    execute("DROP INDEX {schema}." + index);
  }

  private RowSet<Row> execute(String statement) {
    PgConnection connection = await(PgConnection.connect(vertx, way()));
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
      LockSupport.parkNanos(PAUSE_NANOS);
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
    if (schemas != null && !hasChangedTables) {
      lost.forEach(this::execute);
      sql(ReusedSchemas.emptying(schema));
      schemas.giveBack(schema);
    }
  }
}
