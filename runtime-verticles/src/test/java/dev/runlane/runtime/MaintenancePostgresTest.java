package dev.runlane.runtime;

import static dev.runlane.runtime.MaintenanceFleet.BOUNDED;
import static dev.runlane.runtime.MaintenanceFleet.ENVIRONMENT;
import static dev.runlane.runtime.MaintenanceFleet.QUEUE;
import static dev.runlane.runtime.SharedTransport.soon;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.BlockedLoops;
import dev.runlane.lane.Lanes;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.maintenance.CancellationFinalizerVerticle;
import dev.runlane.runtime.maintenance.DispatcherOptions;
import dev.runlane.runtime.maintenance.DispatcherVerticle;
import dev.runlane.runtime.maintenance.RetentionOptions;
import dev.runlane.runtime.maintenance.RetentionVerticle;
import dev.runlane.runtime.process.NewRun;
import dev.runlane.runtime.publish.OutboxPublisherVerticle;
import dev.runlane.runtime.schedule.SchedulerVerticle;
import dev.runlane.runtime.sweep.SweepAppends;
import dev.runlane.runtime.task.MissedFires;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.testinfra.postgres.ReusedSessions;
import dev.runlane.timing.FutureLoop;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.DeliveryResult;
import dev.runlane.transport.IgnoredReason;
import io.vertx.core.Deployable;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.PoolOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** The roles of several processes, each with a pool of its own, on one real Postgres. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class MaintenancePostgresTest {
  private static final PostgresAddress DATABASE =
      new ReusedSessions(PostgresServers.shared().createDatabase("maintenance")).address();
  private static final Task<String> OFTEN = Task.define("test.often", String.class)
      .schedule(Schedule.every("often", Duration.ofMillis(100))
          .payload("x")
          .missedFires(MissedFires.all(3)))
      .handler((payload, context) -> MaintenanceFleet.done());

  private final BlockedLoops blocked = new BlockedLoops();
  private final SharedTransport wakeups = new SharedTransport();
  private final List<Runlane> processes = new ArrayList<>();
  private final List<String> deployments = new ArrayList<>();
  private Vertx vertx;

  @BeforeEach
  void start() {
    vertx = blocked.watched();
  }

  @AfterEach
  void stop() {
    processes.forEach(process -> soon(process.close()));
    soon(vertx.close());
    blocked.assertNone();
  }

  @Test
  void roles_of_several_processes_share_the_work_and_double_nothing() {
    for (int index = 0; index < 3; index++) {
      process("shared", MaintenanceFleet.TASK, OFTEN);
    }
    for (Runlane process : processes) {
      deploy(() -> new SchedulerVerticle(process));
      deploy(() -> new DispatcherVerticle(process));
      deploy(() -> new OutboxPublisherVerticle(process));
      deploy(() -> new CancellationFinalizerVerticle(process));
      deploy(() ->
          new RetentionVerticle(process, new RetentionOptions().setOlderThan(Duration.ofDays(1))));
    }
    List<String> plain = new ArrayList<>();
    List<String> bounded = new ArrayList<>();
    for (int index = 0; index < 40; index++) {
      plain.add(create(processes.get(index % 3), QUEUE).id());
      bounded.add(create(processes.get(index % 3), BOUNDED).id());
    }

    soon(wakeups.when(taken -> taken.containsAll(plain)
        && taken.stream().filter(bounded::contains).count() >= 2
        && taken.size() >= plain.size() + 20));
    undeployAll();

    assertThat(fires(OFTEN)).hasSizeGreaterThan(10).doesNotHaveDuplicates();
    assertThat(wakeups.runs()).doesNotHaveDuplicates();
    assertThat(runs(processes.get(0), RunFilter.ALL.withQueues(List.of(BOUNDED.name()))).stream()
            .filter(run -> run.reservation() != null))
        .as("slots reserved, of 2")
        .hasSize(2);
  }

  @Test
  void applications_with_a_schedule_of_one_id_each_make_one_run_of_each_fire() {
    Task<String> other = Task.define("test.other", String.class)
        .schedule(OFTEN.schedules().get(0).missedFires(MissedFires.all(1_000)))
        .handler((payload, context) -> MaintenanceFleet.done());
    Task<String> one = Task.define("test.one", String.class)
        .schedule(OFTEN.schedules().get(0).missedFires(MissedFires.all(1_000)))
        .handler((payload, context) -> MaintenanceFleet.done());
    for (Task<?> task : List.of(one, other, one, other)) {
      process("ids", task);
    }
    for (Runlane process : processes) {
      deploy(() -> new SchedulerVerticle(process));
      deploy(() -> new OutboxPublisherVerticle(process));
    }

    List<Task<?>> both = List.of(one, other);
    for (int seen = 60; both.stream().anyMatch(task -> fires(task).size() < 30); seen += 20) {
      int enough = seen;
      soon(wakeups.when(taken -> taken.size() >= enough));
    }
    undeployAll();

    for (Task<?> task : both) {
      List<Instant> fires = fires(task);
      assertThat(fires).doesNotHaveDuplicates();
      List<Instant> settled = fires.subList(0, fires.size() - 10); // the end was not waited for
      assertThat(Duration.between(settled.get(0), settled.get(settled.size() - 1)))
          .as("no fire of %s is missing", task.id())
          .isEqualTo(Duration.ofMillis(100).multipliedBy(settled.size() - 1));
    }
  }

  @Test
  void passes_of_several_processes_share_the_work_and_leave_nothing() {
    for (int index = 0; index < 3; index++) {
      process("ticks", MaintenanceFleet.TASK);
    }
    for (int index = 0; index < 30; index++) {
      create(processes.get(index % 3), QUEUE);
      create(processes.get(index % 3), BOUNDED);
    }

    List<TickResult> results = new ArrayList<>();
    for (int round = 0; round < 2; round++) {
      List<Future<TickResult>> passes = processes.stream()
          .map(process -> new Tick(process.context(), new TickOptions()).run())
          .toList();
      passes.forEach(pass -> results.add(soon(pass)));
    }

    assertThat(results.stream().mapToInt(TickResult::slotsReserved).sum()).isEqualTo(2);
    assertThat(results.stream().mapToInt(TickResult::wakeupsPublished).sum()).isEqualTo(32);
    assertThat(wakeups.runs()).hasSize(32).doesNotHaveDuplicates();
    assertThat(soon(processes
            .get(0)
            .context()
            .storage()
            .claimOutboxMessages(new ClaimOutboxMessages(
                ENVIRONMENT,
                Instant.now().plus(Duration.ofDays(1)),
                Duration.ofSeconds(1),
                100,
                null))))
        .isEmpty();
  }

  @Test
  void
      runs_whose_wakeups_were_ignored_in_a_pause_are_delivered_after_a_resume_in_another_process() {
    process("pauses", MaintenanceFleet.TASK);
    process("pauses", MaintenanceFleet.TASK);
    Runlane desk = processes.get(0);
    Runlane consumer = processes.get(1);
    deploy(() -> new OutboxPublisherVerticle(consumer));
    deploy(() -> new DispatcherVerticle(consumer, new DispatcherOptions().setSweepLimit(2)));
    RunActionOptions ada = RunActionOptions.by("ada");
    soon(desk.operator().pauseQueue(QUEUE.name(), ada));
    List<String> ids = new ArrayList<>();
    for (int index = 0; index < 5; index++) {
      ids.add(create(desk, QUEUE).id());
    }
    soon(wakeups.when(taken -> taken.containsAll(ids)));
    ids.forEach(id -> assertThat(deliver(consumer, id))
        .isEqualTo(new DeliveryResult.Ignored(IgnoredReason.QUEUE_PAUSED)));

    soon(desk.operator().resumeQueue(QUEUE.name(), ada));
    soon(wakeups.when(taken -> ids.stream().allMatch(id -> Collections.frequency(taken, id) >= 2)));

    ids.forEach(
        id -> assertThat(deliver(consumer, id)).isInstanceOf(DeliveryResult.Executed.class));
    undeployAll();
  }

  @Test
  void a_run_whose_reservation_has_lapsed_is_run_by_a_worker_that_scans_where_none_are_made() {
    process("lapsed", MaintenanceFleet.TASK);
    Runlane process = processes.get(0);
    RunRecord run = create(process, BOUNDED);
    Instant now = Instant.now();
    DeliveryIntent lapsesAtOnce =
        new DeliveryIntent(ENVIRONMENT, run.id(), run.queue(), now, now, now.plusMillis(1), null);
    soon(process
        .context()
        .appends()
        .reserve(
            run,
            new RunEvent.DeliveryRequested(SweepAppends.header(run, now), lapsesAtOnce),
            BOUNDED.policy()));

    soon(process.worker(new WorkerOptions().setPollInterval(Duration.ofMillis(50))));
    deploy(
        () -> new DispatcherVerticle(process, new DispatcherOptions().setBoundedDispatch(false)));

    assertThat(soon(process.awaitRun(run.id(), Duration.ofSeconds(50))).status())
        .isEqualTo(RunStatus.SUCCEEDED);
    undeployAll();
  }

  @Test
  void a_pass_of_a_process_that_gives_a_queue_no_limit_leaves_the_limit_of_another_as_it_is() {
    TaskQueue one = TaskQueue.of("one").concurrencyLimit(1).asDefault();
    process("limits", List.of(one), MaintenanceFleet.TASK);
    process("limits", List.of(TaskQueue.of("one").asDefault()), MaintenanceFleet.TASK);
    Runlane strict = processes.get(0);
    create(strict, one);
    assertThat(claim(strict, one)).hasSize(1);

    soon(processes.get(1).tick());

    create(strict, one);
    assertThat(claim(strict, one)).isEmpty();
    assertThat(slotsTaken("limits")).isEqualTo(1);
  }

  private static List<ClaimedRuns.Claimed> claim(Runlane process, TaskQueue queue) {
    return soon(process
            .context()
            .storage()
            .batch()
            .orElseThrow()
            .claimRuns(new ClaimRuns(
                ENVIRONMENT,
                List.of(queue.policy()),
                List.of(MaintenanceFleet.TASK.id()),
                "worker",
                process.context().ids().token(),
                Duration.ofMinutes(1),
                Instant.now(),
                10)))
        .runs();
  }

  private long slotsTaken(String schema) {
    PgConnection connection =
        soon(PgConnection.connect(vertx, PgConnectOptions.fromUri(DATABASE.toUri())));
    return soon(connection
        .query("SELECT sum(used) FROM %s.queue_capacity".formatted(schema))
        .execute()
        .map(rows -> rows.iterator().next().getLong(0))
        .eventually(connection::close));
  }

  private static DeliveryResult deliver(Runlane consumer, String runId) {
    return soon(consumer.executeDelivery(
        new DeliveryMessage(ENVIRONMENT, runId, QUEUE.name(), Instant.now(), null)));
  }

  private void process(String schema, Task<?>... tasks) {
    process(schema, List.of(QUEUE, BOUNDED), tasks);
  }

  private void process(String schema, List<TaskQueue> queues, Task<?>... tasks) {
    PgStorageAdapter storage = PgStorageAdapter.create(
        vertx,
        new PgStorageOptions()
            .setSchema(schema)
            .setConnectOptions(PgConnectOptions.fromUri(DATABASE.toUri()))
            .setPoolOptions(new PoolOptions().setMaxSize(3)));
    Runlane runlane = Runlane.builder(vertx, Lanes.create(storage, wakeups))
        .queues(queues)
        .tasks(List.of(tasks))
        .build();
    processes.add(runlane);
    soon(runlane.start());
  }

  private void deploy(Supplier<Deployable> verticle) {
    deployments.add(soon(vertx.deployVerticle(verticle, new DeploymentOptions())));
  }

  private void undeployAll() {
    soon(Future.join(deployments.stream().map(vertx::undeploy).toList()));
  }

  private static RunRecord create(Runlane runlane, TaskQueue queue) {
    return soon(runlane
            .context()
            .creations()
            .create(new NewRun(
                runlane.context().ids().runId(),
                MaintenanceFleet.TASK.id(),
                queue.policy(),
                Json.ofChecked("\"hello\""),
                null,
                RunKeys.NONE,
                RunSource.TRIGGER,
                ContractDefaults.SYSTEM_ACTOR,
                null,
                null,
                Map.of(),
                false)))
        .run();
  }

  /** Those of this task, the earliest first. */
  private List<Instant> fires(Task<?> task) {
    return runs(processes.get(0), RunFilter.ALL.withTaskIds(List.of(task.id()))).stream()
        .map(run -> run.source().fireAt())
        .sorted()
        .toList();
  }

  /** All of them: on a slow machine a schedule has made more than a page of runs meanwhile. */
  private static List<RunRecord> runs(Runlane runlane, RunFilter filter) {
    StorageAdapter storage = runlane.context().storage();
    List<RunRecord> runs = new ArrayList<>();
    soon(FutureLoop.pages(cursor -> storage
        .listRuns(new ListRuns(ENVIRONMENT, filter, RunSort.NEWEST_FIRST, 200, cursor))
        .compose(page -> storage
            .getRuns(new GetRuns(
                ENVIRONMENT, page.data().stream().map(RunSummary::id).toList()))
            .map(read -> {
              runs.addAll(read);
              return page.nextCursor();
            }))));
    return runs;
  }
}
