package dev.runlane.runtime;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.BlockedLoops;
import dev.runlane.lane.Lane;
import dev.runlane.lane.Lanes;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.host.DispatchMode;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.runtime.worker.WorkerHandle;
import dev.runlane.runtime.worker.WorkerMode;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.testinfra.postgres.ReusedSessions;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.DeliveryResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several processes, each with a lane of its own, on one real Postgres. */
class PostgresTest {
  private static final PostgresAddress DATABASE =
      new ReusedSessions(PostgresServers.shared().createDatabase("runtime")).address();
  private static final AtomicInteger SCHEMAS = new AtomicInteger();
  private static final TaskQueue DEFAULT = TaskQueue.of("default").asDefault();
  private static final Duration SOON = Duration.ofSeconds(60);

  private final BlockedLoops blocked = new BlockedLoops();
  private final List<Runlane> processes = new ArrayList<>();
  private Vertx vertx;
  private PgStorageOptions options;
  private PgStorageAdapter storage;

  @BeforeEach
  void start() {
    vertx = blocked.watched();
    options = new PgStorageOptions()
        .setSchema("runtime_" + SCHEMAS.incrementAndGet())
        .setConnectOptions(PgConnectOptions.fromUri(DATABASE.toUri()))
        .setPoolOptions(new PoolOptions().setMaxSize(4));
  }

  @AfterEach
  void stop() {
    processes.forEach(process -> await(process.close()));
    await(vertx.close());
    blocked.assertNone();
  }

  private Runlane process(List<TaskQueue> queues, Task<?>... tasks) {
    storage = PgStorageAdapter.create(vertx, options);
    Lane lane = Lanes.create(storage, storage.notifyTransport());
    Runlane runlane =
        Runlane.builder(vertx, lane).queues(queues).tasks(List.of(tasks)).build();
    processes.add(runlane);
    return runlane;
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(70, SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    }
  }

  private static RunRecord ended(Runlane runlane, TriggerResult triggered) {
    return await(runlane.awaitRun(triggered.run().id(), SOON));
  }

  private static void assertReplays(Runlane runlane, String runId) {
    RunRecord run = await(runlane.runs().get(runId)).orElseThrow();
    assertThat(RunReducer.projectRunEvents(
            null,
            0,
            await(runlane.runs().events(runId)).data().stream()
                .map(RunEventRecord::event)
                .toList()))
        .isEqualTo(run);
  }

  @Test
  void a_process_whose_clock_is_90_s_ahead_of_postgres_takes_no_lease_from_a_living_worker() {
    Promise<TaskResult> work = Promise.promise();
    Task<Integer> task =
        Task.define("slow", Integer.class).handler((number, context) -> work.future());
    Runlane living = process(List.of(DEFAULT), task);
    await(living.deploy(vertx, new RunlaneDeployment()));
    TriggerResult triggered = await(living.trigger(task, 1));
    PgStorageAdapter adapter = PgStorageAdapter.create(vertx, options);
    Runlane ahead = Runlane.builder(vertx, Lanes.create(adapter, adapter.notifyTransport()))
        .clock(() -> Instant.now().plusSeconds(90))
        .queue(DEFAULT)
        .task(task)
        .build();
    processes.add(ahead);
    await(ahead.start());

    untilClockIsKnown(ahead);
    Future<Optional<RunRecord>> claimed = ahead.executeNext();

    boolean refused = await(claimed.transform(done -> Future.succeededFuture(done.failed())));
    assertThat(refused).isTrue();
    work.complete(TaskResult.done());
    assertThat(ended(living, triggered).counters().attempts()).isEqualTo(1);
  }

  /** Until it has measured that its clock is ahead: the start does not wait long for that. */
  private void untilClockIsKnown(Runlane process) {
    for (int tries = 0; tries < 600; tries++) {
      if (process.context().clockMonitor().ahead().compareTo(Duration.ofSeconds(80)) > 0) {
        return;
      }
      await(vertx.timer(100, MILLISECONDS));
    }
    throw new AssertionError("the clock of the storage was not read");
  }

  @Test
  void a_run_triggered_in_one_process_is_run_by_another() {
    Task<Integer> task = Task.define("double", Integer.class)
        .handler((number, context) -> Future.succeededFuture(TaskResult.done(2 * number)));
    Runlane producer = process(List.of(DEFAULT), task);
    Runlane worker = process(List.of(DEFAULT), task);
    await(producer.start());
    await(worker.deploy(vertx, new RunlaneDeployment()));

    TriggerResult triggered = await(producer.trigger(task, 21));

    assertThat(ended(producer, triggered).output().text()).isEqualTo("42");
    assertReplays(producer, triggered.run().id());
  }

  @Test
  void a_run_of_a_bounded_queue_triggered_in_one_process_wakes_a_worker_of_another() {
    TaskQueue bounded = TaskQueue.of("bounded").concurrencyLimit(1).asDefault();
    Task<Integer> task = Task.define("double", Integer.class)
        .handler((number, context) -> Future.succeededFuture(TaskResult.done(2 * number)));
    Runlane producer = process(List.of(bounded), task);
    Runlane worker = process(List.of(bounded), task);
    await(producer.start());
    await(worker.start());
    await(worker.worker(new WorkerOptions().setPollInterval(Duration.ofHours(1))));

    TriggerResult triggered = await(producer.trigger(task, 21));

    assertThat(ended(producer, triggered).output().text()).isEqualTo("42");
  }

  @Test
  void triggers_write_no_outbox_message_where_the_transport_is_the_storages_own() {
    Task<Integer> task = Task.define("noop", Integer.class)
        .handler((number, context) -> Future.succeededFuture(TaskResult.done()));
    Runlane producer = process(List.of(DEFAULT), task);
    await(producer.start());

    await(producer.trigger(task, 1));
    await(producer.triggerAll(task, List.of(2, 3), new TriggerOptions()));
    assertThat(outboxMessages()).isZero();
    await(producer.trigger(task, 4, new TriggerOptions().setDelay(Duration.ofHours(1))));
    await(producer.trigger(task, 5, new TriggerOptions().setDispatch(DispatchMode.DEFERRED)));

    assertThat(outboxMessages()).isEqualTo(2);
  }

  @Test
  void a_run_whose_wakeup_died_with_its_process_is_found_by_a_poll() {
    Task<Integer> task = Task.define("double", Integer.class)
        .handler((number, context) -> Future.succeededFuture(TaskResult.done(2 * number)));
    Runlane producer = process(List.of(DEFAULT), task);
    Runlane worker = process(List.of(DEFAULT), task);
    await(producer.start());
    await(worker.start());
    await(worker.worker(new WorkerOptions().setPollInterval(Duration.ofMillis(200))));
    TriggerResult triggered =
        await(producer.trigger(task, 21, new TriggerOptions().setDispatch(DispatchMode.DEFERRED)));

    number("DELETE FROM {schema}.outbox_messages RETURNING 1"); // as if it had never been written

    assertThat(ended(producer, triggered).output().text()).isEqualTo("42");
  }

  @Test
  void a_wakeup_of_a_run_whose_row_a_transaction_holds_and_leaves_as_it_was_is_not_used_up() {
    Task<Integer> task = Task.define("double", Integer.class)
        .handler((number, context) -> Future.succeededFuture(TaskResult.done(2 * number)));
    storage = PgStorageAdapter.create(vertx, options);
    ScriptedStorage claims = new ScriptedStorage(storage);
    Runlane process = Runlane.builder(
            vertx, Lanes.create(claims.adapter(), storage.notifyTransport()))
        .queue(DEFAULT)
        .task(task)
        .build();
    processes.add(process);
    await(process.start());
    RunRecord run = await(process.trigger(task, 21)).run();
    PgConnection holder =
        await(PgConnection.connect(vertx, PgConnectOptions.fromUri(DATABASE.toUri())));
    Transaction open = await(holder.begin());
    await(holder
        .query("SELECT run_id FROM " + options.getSchema() + ".active_runs FOR UPDATE")
        .execute());
    Promise<Void> passedOver = Promise.promise();
    Promise<Void> free = Promise.promise();
    claims.next("claimRunLease", real -> real);
    claims.next("claimRunLease", real -> () -> {
      passedOver.complete();
      return free.future().compose(rolledBack -> real.get());
    });

    Future<DeliveryResult> delivery = process.executeDelivery(
        new DeliveryMessage(run.environment(), run.id(), run.queue(), Instant.now(), null));
    await(Future.any(passedOver.future(), delivery));
    await(open.rollback());
    free.complete();

    assertThat(await(delivery)).isInstanceOf(DeliveryResult.Executed.class);
    await(holder.close());
  }

  private long outboxMessages() {
    return number("SELECT count(*) FROM {schema}.outbox_messages");
  }

  private long number(String query) {
    PgConnection connection =
        await(PgConnection.connect(vertx, PgConnectOptions.fromUri(DATABASE.toUri())));
    long number = await(connection
        .query(query.replace("{schema}", options.getSchema()))
        .execute()
        .map(rows -> rows.iterator().next().getLong(0)));
    await(connection.close());
    return number;
  }

  @Test
  void a_cancellation_reaches_the_owner_in_another_process() {
    Promise<Void> started = Promise.promise();
    Task<Integer> task = Task.define("long", Integer.class).handler((number, context) -> {
      started.tryComplete();
      return context.untilSignalled(Promise.<TaskResult>promise().future());
    });
    Runlane operator = process(List.of(DEFAULT), task);
    Runlane worker = process(List.of(DEFAULT), task);
    await(operator.start());
    await(worker.deploy(vertx, new RunlaneDeployment()));
    TriggerResult triggered = await(operator.trigger(task, 1));
    await(started.future());

    await(operator.runs().cancel(triggered.run().id(), RunActionOptions.by("ada")));

    assertThat(await(operator.awaitRun(triggered.run().id(), SOON)).status())
        .isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  void a_trigger_in_the_callers_transaction_exists_if_and_only_if_that_commits() {
    Task<Integer> task = Task.define("order", Integer.class)
        .idempotencyKey(number -> "k" + number)
        .refuseOtherPayload()
        .handler((number, context) -> Future.succeededFuture(TaskResult.done()));
    Runlane runlane = process(List.of(DEFAULT), task);
    await(runlane.deploy(vertx, new RunlaneDeployment()));
    PgConnection connection =
        await(PgConnection.connect(vertx, PgConnectOptions.fromUri(DATABASE.toUri())));

    var rolledBack = await(connection.begin());
    TransactionTriggers first = runlane.inTransaction(storage.on(connection));
    TriggerResult lost = await(first.trigger(task, 1));
    await(rolledBack.rollback());
    var committed = await(connection.begin());
    TransactionTriggers second = runlane.inTransaction(storage.on(connection));
    TriggerResult kept = await(second.trigger(task, 1));
    TriggerResult same = await(second.trigger(task, 1));
    Throwable refused = await(second
        .trigger(task, 2, new TriggerOptions().setIdempotencyKey("k1"))
        .transform((answer, failure) -> Future.succeededFuture(failure)));
    await(committed.commit());
    runlane.wake();

    assertThat(await(runlane.runs().get(lost.run().id()))).isEmpty();
    assertThat(kept.outcome()).isEqualTo(TriggerOutcome.CREATED);
    assertThat(same.outcome()).isEqualTo(TriggerOutcome.IDEMPOTENT_EXISTING);
    assertThat(same.samePayload()).isTrue();
    assertThat(refused)
        .as("refused without harm to the transaction")
        .isInstanceOfSatisfying(RunlaneException.class, mismatch -> assertThat(mismatch.meta())
            .containsEntry("reason", "idempotency_mismatch"));
    assertThat(ended(runlane, kept).status()).isEqualTo(RunStatus.SUCCEEDED);
    await(connection.close());
  }

  @Test
  void an_outcome_that_a_trigger_of_the_users_refuses_is_stored_once_that_is_gone() {
    AtomicInteger made = new AtomicInteger();
    Task<Integer> task = Task.define("charge", Integer.class).handler((number, context) -> {
      made.incrementAndGet();
      return Future.succeededFuture(TaskResult.done());
    });
    storage = PgStorageAdapter.create(vertx, options);
    Runlane runlane = Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .options(new RunlaneOptions().setLeaseDuration(Duration.ofSeconds(3)))
        .queue(DEFAULT)
        .task(task)
        .build();
    processes.add(runlane);
    await(runlane.deploy(vertx, new RunlaneDeployment()));
    for (String statement : List.of("CREATE SEQUENCE {schema}.tries", """
        CREATE FUNCTION {schema}.audit() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM nextval('{schema}.tries');
          RAISE 'no audit';
        END $$""", """
        CREATE TRIGGER audit BEFORE INSERT ON {schema}.terminal_runs
          FOR EACH ROW EXECUTE FUNCTION {schema}.audit()""")) {
      execute(statement);
    }

    TriggerResult triggered = await(runlane.trigger(task, 1));
    while (number("SELECT last_value FROM {schema}.tries") < 10) {
      await(vertx.timer(100, MILLISECONDS));
    }
    execute("DROP TRIGGER audit ON {schema}.terminal_runs");

    RunRecord run = ended(runlane, triggered);
    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(made).as("over more than one lease").hasValue(1);
    assertReplays(runlane, run.id());
  }

  private void execute(String statement) {
    PgConnection connection =
        await(PgConnection.connect(vertx, PgConnectOptions.fromUri(DATABASE.toUri())));
    await(connection.query(statement.replace("{schema}", options.getSchema())).execute());
    await(connection.close());
  }

  @Test
  void competing_workers_keep_a_bounded_queue_within_its_limit_and_finish_everything() {
    TaskQueue bounded = TaskQueue.of("bounded").concurrencyLimit(3).asDefault();
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Task<Integer> task = Task.define("busy", Integer.class).handler((number, context) -> {
      most.accumulateAndGet(running.incrementAndGet(), Math::max);
      Promise<TaskResult> later = Promise.promise();
      vertx.setTimer(2, id -> {
        running.decrementAndGet();
        later.complete(TaskResult.done());
      });
      return later.future();
    });
    Runlane first = process(List.of(bounded), task);
    Runlane second = process(List.of(bounded), task);
    await(first.deploy(vertx, new RunlaneDeployment()));
    await(second.deploy(vertx, new RunlaneDeployment()));

    List<TriggerResult> triggered = await(
        first.triggerAll(task, IntStream.range(0, 80).boxed().toList(), new TriggerOptions()));

    for (TriggerResult each : triggered) {
      assertThat(ended(first, each).status()).isEqualTo(RunStatus.SUCCEEDED);
    }
    assertThat(most.get()).isBetween(1, 3);
    assertReplays(first, triggered.get(40).run().id());
  }

  @Test
  void retries_releases_and_blocking_handlers_work_on_postgres_alike() {
    Task<Integer> task = Task.define("flaky", Integer.class)
        .retry(RetryPolicy.attempts(3).fixedDelay(Duration.ofMillis(100)))
        .blockingHandler((number, context) -> {
          if (context.attempt() == 1) {
            throw new IllegalStateException("not yet");
          }
          return context.attempt() == 2
              ? context.release(Duration.ofMillis(100), "wait")
              : TaskResult.done(number);
        });
    Runlane runlane = process(List.of(DEFAULT), task);
    await(runlane.deploy(vertx, new RunlaneDeployment()));

    TriggerResult triggered = await(runlane.trigger(task, 7));

    RunRecord run = ended(runlane, triggered);
    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run.counters().retries()).isEqualTo(1);
    assertThat(run.counters().releases()).isEqualTo(1);
    assertReplays(runlane, run.id());
  }

  @Test
  void a_backlog_is_drained_by_two_processes_with_few_transactions() {
    Task<Integer> task = Task.define("noop", Integer.class)
        .handler((number, context) -> Future.succeededFuture(TaskResult.done()));
    Runlane first = process(List.of(DEFAULT), task);
    Runlane second = process(List.of(DEFAULT), task);
    await(first.start());
    await(second.start());
    int runs = 2_000;
    for (int from = 0; from < runs; from += 1_000) {
      await(first.triggerAll(
          task,
          IntStream.range(from, from + 1_000).boxed().toList(),
          new TriggerOptions().setDispatch(DispatchMode.DEFERRED)));
    }
    long before = writeTransactions();

    WorkerOptions drain = new WorkerOptions().setMode(WorkerMode.DRAIN).setConcurrency(64);
    WorkerHandle one = await(first.worker(drain));
    WorkerHandle two = await(second.worker(drain));
    await(Future.all(one.closed(), two.closed()));

    assertThat(await(first.runs().list(RunFilter.ALL.withStatuses(Set.of(RunStatus.QUEUED))))
            .data())
        .isEmpty();
    assertThat(writeTransactions() - before).as("transactions").isLessThan(runs / 5);
  }

  /** Transaction ids given out so far: only transactions that write get one. */
  private long writeTransactions() {
    return number("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint");
  }
}
