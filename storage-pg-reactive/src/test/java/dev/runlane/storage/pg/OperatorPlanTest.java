package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.storage.pg.Scene.DEFAULT_QUEUE;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static dev.runlane.storage.pg.Scene.MINUTE;
import static dev.runlane.storage.pg.Scene.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRuns;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.action.ActionFilter;
import dev.runlane.operator.action.FinishAction;
import dev.runlane.operator.action.ListActions;
import dev.runlane.operator.action.PruneActions;
import dev.runlane.operator.action.RecordAction;
import dev.runlane.operator.depth.GetSample;
import dev.runlane.operator.depth.TakeSample;
import dev.runlane.operator.log.AppendLogLines;
import dev.runlane.operator.log.ListLogLines;
import dev.runlane.operator.log.LogLevel;
import dev.runlane.operator.log.LogLine;
import dev.runlane.operator.outbox.ListOutbox;
import dev.runlane.operator.outbox.RedriveOutbox;
import dev.runlane.operator.process.EndProcess;
import dev.runlane.operator.process.LeasesOf;
import dev.runlane.operator.process.ListProcesses;
import dev.runlane.operator.process.RuntimeProcess;
import dev.runlane.operator.process.SignOfLife;
import dev.runlane.operator.queue.FinishResumedRuns;
import dev.runlane.operator.queue.ListPausedQueues;
import dev.runlane.operator.queue.PauseQueue;
import dev.runlane.operator.queue.ResumeQueue;
import dev.runlane.operator.queue.ResumedRuns;
import dev.runlane.operator.queue.TakeResumedRuns;
import dev.runlane.operator.schedule.FindSchedules;
import dev.runlane.operator.schedule.ListSchedules;
import dev.runlane.operator.schedule.PauseSchedule;
import dev.runlane.operator.schedule.ResumeSchedule;
import dev.runlane.operator.schedule.ScheduleName;
import dev.runlane.operator.tag.FindTags;
import dev.runlane.operator.tag.ListTaggedRuns;
import dev.runlane.operator.task.ListTasks;
import dev.runlane.operator.task.PublishTasks;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.operator.throughput.AddThroughput;
import dev.runlane.operator.throughput.FoldThroughput;
import dev.runlane.operator.throughput.ListThroughput;
import dev.runlane.operator.throughput.PruneThroughput;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.operator.webhook.ClaimWebhookDeliveries;
import dev.runlane.operator.webhook.EndFilter;
import dev.runlane.operator.webhook.FinishWebhookDeliveries;
import dev.runlane.operator.webhook.RegisterWebhooks;
import dev.runlane.run.Actor;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.SortDirection;
import dev.runlane.storage.schedule.RegisterSchedules;
import io.vertx.sqlclient.PoolOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What operators are shown and do, with the plans of empty tables, once the tables are full: like {@link
 * StatementPlanTest}.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class OperatorPlanTest {
  private static final int BACKLOG = 5_000;
  private static final int WELL_KNOWN = 10_000; // runs of which a plan knows
  private static final int PAGE = 100;
  private static final Actor OPERATOR = Actor.operator("alice");
  private static final List<String> TABLES = List.of(
      "active_runs",
      "outbox_messages",
      "run_events",
      "live_processes",
      "known_tasks",
      "paused_queues",
      "resumed_queues",
      "operator_actions",
      "throughput_minutes",
      "throughput_folds",
      "throughput_folded",
      "log_lines",
      "schedules",
      "schedule_definitions",
      "run_tags",
      "webhooks",
      "webhook_deliveries");

  /** Not those that are claimed: they are looked for among all that wait. */
  private static final List<OutboxMessageStatus> LISTED = List.of(
      OutboxMessageStatus.PENDING, OutboxMessageStatus.FAILED, OutboxMessageStatus.DEAD_LETTERED);

  private final Scene scene = Scene.direct();
  private PgStorageAdapter storage;
  private OperatorStore operator;

  @AfterEach
  void close() {
    scene.close();
  }

  @ParameterizedTest
  @EnumSource(names = {"VACUUMED", "REINDEXED_BESIDE_A_BACKUP"})
  void no_statement_planned_on_empty_tables_reads_more_than_a_few_pages_once_they_are_full(
      EmptyTables emptied) {
    storage = scene.startAsFirst(scene.options().setPoolOptions(new PoolOptions().setMaxSize(1)));
    operator = storage.operator().orElseThrow();
    scene.countReadsAtOnce();
    everyStatement("first");
    emptied.empty(scene, TABLES);
    everyStatement(
        "on_empty_tables"); // the vacuum has made every plan invalid: these are made anew
    fill();

    List<Reading> readings = everyStatement("on_full_tables");

    assertThat(readings).hasSize(41).allSatisfy(reading -> assertThat(reading.read())
        .as("rows and index entries read by %s", reading.statement())
        .isLessThan(20L * PAGE));
    assertThat(readBySample())
        .as("rows and index entries read by a sample, which counts all runs and messages")
        .isLessThan(10L * BACKLOG);
  }

  private long readBySample() {
    List<Reading> sample = new ArrayList<>();
    measure(sample, "sample", () -> assertThat(
            done(operator.takeSample(new TakeSample(ENVIRONMENT, NOON.plus(MINUTE), MINUTE))))
        .isTrue());
    return sample.get(0).read();
  }

  @Test
  void leases_are_found_along_an_index_with_the_plan_of_a_full_table_too() {
    storage = scene.startAsFirst(scene.options().setPoolOptions(new PoolOptions().setMaxSize(1)));
    operator = storage.operator().orElseThrow();
    scene.countReadsAtOnce();
    scene.change("""
        INSERT INTO {s}.environments (environment_key) VALUES ('conformance') ON CONFLICT DO NOTHING;
        INSERT INTO {s}.active_runs (env, run_id, task_id, queue, partition, status, kind, occupies, due_at,
          sequence, attempts, failures, retries, releases, run_at, created_at, updated_at)
        SELECT env, 'run_fill_' || i, 'orders.charge', 'default', NULL, 'scheduled', 1, false,
          timestamptz '2026-03-05 12:00Z', 2, 0, 0, 0, 0, timestamptz '2026-03-05 12:00Z',
          timestamptz '2026-03-04 12:00Z', timestamptz '2026-03-04 12:00Z'
        FROM generate_series(1, {n}) i, {s}.environments;
        ANALYZE {s}.active_runs""".replace("{s}", scene.schema()).replace("{n}", String.valueOf(WELL_KNOWN)));
    List<Reading> readings = new ArrayList<>();
    for (int call = 0; call < 10; call++) { // the last of them with a plan for whatever parameters
      processes(readings, "call_" + call);
    }

    assertThat(readings)
        .filteredOn(reading -> reading.statement().equals("leases of a process"))
        .hasSize(10)
        .allSatisfy(reading -> assertThat(reading.read()).isLessThan(PAGE));
  }

  private record Reading(String statement, long read) {}

  private List<Reading> everyStatement(String name) {
    List<Reading> readings = new ArrayList<>();
    RunRecord run = scene.store(TestRuns.queued("run_" + name), storage);
    processes(readings, name);
    tasks(readings, name);
    outbox(readings, name);
    queues(readings, name);
    actions(readings, name);
    throughput(readings);
    schedules(readings, name);
    tags(readings, name);
    webhooks(readings, name);
    measure(readings, "append log lines", () -> done(operator.appendLogLines(lines(run))));
    measure(readings, "list log lines", () -> assertThat(
            done(operator.listLogLines(new ListLogLines(ENVIRONMENT, run.id(), PAGE, null)))
                .data())
        .hasSize(PAGE));
    done(operator.takeSample(new TakeSample(ENVIRONMENT, NOON, MINUTE)));
    measure(
        readings, "latest sample", () -> done(operator.latestSample(new GetSample(ENVIRONMENT))));
    return readings;
  }

  private void processes(List<Reading> readings, String name) {
    RuntimeProcess process = new RuntimeProcess(
        name,
        "machine",
        "1",
        List.of("worker"),
        List.of("default", "bounded"),
        List.of(Scene.TASK),
        List.of("worker_1"),
        8,
        1,
        MINUTE,
        NOON);
    measure(
        readings,
        "sign of life",
        () -> done(operator.signOfLife(new SignOfLife(ENVIRONMENT, process, NOON))));
    scene.store(TestRuns.queued("run_held_" + name), storage);
    Scene.claim(storage, List.of(DEFAULT_QUEUE), "tok_" + name, 1);
    measure(readings, "leases of a process", () -> assertThat(
            done(operator.leasesOf(new LeasesOf(ENVIRONMENT, name, NOON, PAGE))))
        .isNotEmpty());
    measure(
        readings,
        "list processes",
        () -> done(operator.listProcesses(new ListProcesses(ENVIRONMENT, PAGE, null))));
    measure(
        readings,
        "end process",
        () -> done(operator.endProcess(new EndProcess(ENVIRONMENT, name))));
  }

  private void tasks(List<Reading> readings, String name) {
    RuntimeTask task = new RuntimeTask("task_" + name, "default", true, "x", null, List.of());
    measure(
        readings,
        "publish tasks",
        () -> done(operator.publishTasks(
            new PublishTasks(ENVIRONMENT, "process", NOON, List.of(task), NOON))));
    measure(
        readings,
        "list tasks",
        () -> done(operator.listTasks(new ListTasks(ENVIRONMENT, null, PAGE, null))));
    measure(readings, "one task", () -> assertThat(
            done(operator.listTasks(new ListTasks(ENVIRONMENT, "task_" + name, 1, null)))
                .data())
        .hasSize(1));
  }

  private void outbox(List<Reading> readings, String name) {
    for (OutboxMessageStatus status : LISTED) {
      measure(
          readings,
          "list outbox " + status,
          () -> done(operator.listOutbox(new ListOutbox(ENVIRONMENT, status, PAGE, null))));
    }
    measure(
        readings,
        "redrive messages",
        () -> done(operator.redriveOutbox(
            new RedriveOutbox(ENVIRONMENT, List.of("msg_" + name), PAGE, NOON))));
    measure(
        readings,
        "redrive dead letters",
        () -> done(operator.redriveOutbox(new RedriveOutbox(ENVIRONMENT, null, PAGE, NOON))));
  }

  private void queues(List<Reading> readings, String name) {
    String queue = DEFAULT_QUEUE.queue();
    measure(
        readings,
        "pause",
        () -> done(operator.pauseQueue(new PauseQueue(ENVIRONMENT, queue, OPERATOR, null, NOON))));
    measure(
        readings,
        "list paused",
        () -> done(operator.listPausedQueues(new ListPausedQueues(ENVIRONMENT))));
    measure(
        readings, "resume", () -> done(operator.resumeQueue(new ResumeQueue(ENVIRONMENT, queue))));
    String token = "tok_resumed_" + name;
    List<ResumedRuns> taken = new ArrayList<>();
    measure(readings, "take resumed runs", () -> {
      Optional<ResumedRuns> resumed = done(operator.takeResumedRuns(new TakeResumedRuns(
          ENVIRONMENT, List.of(queue), token, NOON.plusSeconds(20), MINUTE, MINUTE, PAGE)));
      taken.add(resumed.orElseThrow());
    });
    measure(readings, "finish resumed runs", () -> assertThat(done(
            operator.finishResumedRuns(new FinishResumedRuns(ENVIRONMENT, token, taken.get(0)))))
        .isTrue());
  }

  private void actions(List<Reading> readings, String name) {
    measure(
        readings,
        "record action",
        () -> done(operator.recordAction(
            new RecordAction(ENVIRONMENT, name, OPERATOR, "prune", null, null, NOON))));
    measure(readings, "finish action", () -> assertThat(
            done(operator.finishAction(new FinishAction(ENVIRONMENT, name, true, null, NOON))))
        .isTrue());
    measure(
        readings,
        "list actions",
        () -> done(operator.listActions(new ListActions(ENVIRONMENT, PAGE, null))));
    measure(readings, "list actions of a time", () -> assertThat(
            done(operator.listActions(new ListActions(
                    ENVIRONMENT,
                    ActionFilter.ALL.withTarget("one").withRecorded(NOON, NOON.plusNanos(1_000)),
                    PAGE,
                    null)))
                .data())
        .isEmpty());
    measure(
        readings,
        "prune actions",
        () -> done(operator.pruneActions(new PruneActions(ENVIRONMENT, NOON, PAGE))));
  }

  private void throughput(List<Reading> readings) {
    ThroughputBucket bucket = ThroughputBucket.of(
        NOON,
        "default",
        Scene.TASK,
        LongStream.range(0, ThroughputBucket.NUMBERS).boxed().toList());
    measure(
        readings,
        "add throughput",
        () -> done(operator.addThroughput(new AddThroughput(ENVIRONMENT, List.of(bucket)))));
    measure(
        readings,
        "list throughput",
        () -> done(operator.listThroughput(new ListThroughput(
            ENVIRONMENT, NOON, NOON.plus(MINUTE), "default", Scene.TASK, PAGE, null))));
    for (FoldThroughput.By by : List.of(FoldThroughput.By.QUEUE, FoldThroughput.By.TASK)) {
      measure(readings, "fold throughput by " + by, () -> assertThat(
              done(operator.foldThroughput(new FoldThroughput(
                      ENVIRONMENT,
                      NOON,
                      NOON.plus(MINUTE),
                      Duration.ofHours(1),
                      by,
                      "default",
                      Scene.TASK)))
                  .data())
          .hasSize(1));
    }
    measure(
        readings,
        "prune throughput",
        () -> done(operator.pruneThroughput(new PruneThroughput(ENVIRONMENT, NOON, PAGE))));
  }

  private void schedules(List<Reading> readings, String name) {
    ScheduleName schedule = new ScheduleName(Scene.TASK, name);
    done(storage
        .schedules()
        .orElseThrow()
        .registerSchedules(new RegisterSchedules(
            ENVIRONMENT,
            List.of(new RegisterSchedules.Definition(Scene.TASK, name, "every PT1H")),
            NOON,
            MINUTE)));
    measure(readings, "find schedules", () -> assertThat(
            done(operator.findSchedules(new FindSchedules(ENVIRONMENT, List.of(schedule)))))
        .hasSize(1));
    measure(
        readings,
        "list schedules",
        () -> done(operator.listSchedules(new ListSchedules(ENVIRONMENT, PAGE, null))));
    measure(
        readings,
        "pause schedule",
        () -> done(operator.pauseSchedule(
            new PauseSchedule(ENVIRONMENT, schedule, OPERATOR, null, NOON))));
    measure(
        readings,
        "resume schedule",
        () -> done(operator.resumeSchedule(new ResumeSchedule(ENVIRONMENT, schedule, NOON))));
  }

  private void tags(List<Reading> readings, String name) {
    Map<String, String> tags = Map.of("all", "x", "name", name);
    measure(
        readings,
        "create tagged",
        () -> scene.store(TestRuns.queued("run_tagged_" + name).tags(tags), storage));
    measure(readings, "list tagged", () -> assertThat(done(operator.listTaggedRuns(
                new ListTaggedRuns(ENVIRONMENT, Map.of("name", name), RunFilter.ALL, PAGE, null)))
            .data())
        .hasSize(1));
    measure(readings, "list tagged, oldest first", () -> assertThat(
            done(operator.listTaggedRuns(new ListTaggedRuns(
                    ENVIRONMENT,
                    Map.of("name", name),
                    RunFilter.ALL,
                    SortDirection.ASC,
                    PAGE,
                    null)))
                .data())
        .hasSize(1));
    measure(readings, "find tags", () -> assertThat(
            done(operator.findTags(new FindTags(ENVIRONMENT, List.of("run_tagged_" + name)))))
        .hasSize(1));
  }

  private void webhooks(List<Reading> readings, String name) {
    done(operator.registerWebhooks(
        new RegisterWebhooks(ENVIRONMENT, Map.of("hook", EndFilter.ALL), NOON)));
    measure(
        readings,
        "register webhooks",
        () -> done(operator.registerWebhooks(new RegisterWebhooks(
            ENVIRONMENT, Map.of("hook", EndFilter.ALL), NOON.plus(Duration.ofMinutes(1))))));
    scene.store(TestRuns.cancelled("run_ended_" + name), storage);
    String token = "tok_hook_" + name;
    measure(readings, "claim webhook deliveries", () -> assertThat(
            done(operator.claimWebhookDeliveries(new ClaimWebhookDeliveries(
                ENVIRONMENT, List.of("hook"), token, NOON, MINUTE, PAGE))))
        .hasSize(1));
    measure(
        readings,
        "finish webhook deliveries",
        () -> done(operator.finishWebhookDeliveries(new FinishWebhookDeliveries(
            ENVIRONMENT,
            token,
            List.of(new FinishWebhookDeliveries.Outcome("hook", "run_ended_" + name, null))))));
  }

  private static AppendLogLines lines(RunRecord run) {
    return new AppendLogLines(
        ENVIRONMENT,
        IntStream.range(0, PAGE)
            .mapToObj(
                i -> new LogLine(run.id(), 1, i + 1, NOON, LogLevel.INFO, "line " + i, Map.of()))
            .toList());
  }

  private void measure(List<Reading> readings, String statement, Runnable use) {
    long before = scene.rowsRead(storage);
    use.run();
    readings.add(new Reading(statement, scene.rowsRead(storage) - before));
  }

  /** Rows that none of the measured statements has any business with, beside those it works on. */
  private void fill() {
    scene.change("""
        INSERT INTO {s}.active_runs (env, run_id, task_id, queue, partition, status, kind, occupies, due_at,
          sequence, attempts, failures, retries, releases, created_at, updated_at)
        SELECT 1, 'run_fill_' || q.queue || i, CASE WHEN i > 50 THEN 'orders.charge' ELSE 'task_' || i END, q.queue, q.partition, 'queued', 0, false,
          timestamptz '2026-03-04 12:00Z' + i * interval '1 second', 2, 0, 0, 0, 0,
          timestamptz '2026-03-04 12:00Z', timestamptz '2026-03-04 12:00Z'
        FROM generate_series(1, {n}) i, (VALUES ('default', NULL), ('bounded', 'key_1'), ('other', NULL))
          q(queue, partition);
        INSERT INTO {s}.outbox_messages (env, run_id, sequence, message_id, queue, status, requested_at,
          available_at, next_at)
        SELECT 1, run_id, 2, 'msg_' || run_id, queue, 'pending', created_at, due_at, due_at
        FROM {s}.active_runs WHERE run_id LIKE 'run_fill_%';
        INSERT INTO {s}.live_processes (env, process_id, host, version, roles, queues, task_ids, worker_ids, slots,
          running, longest_lease_millis, started_at, last_seen)
        SELECT 1, 'fill_' || i, 'machine', '1', '{}', '{}', '{}', '{}', 1, 0, 60000, timestamptz '2026-03-04 12:00Z',
          timestamptz '2026-03-04 12:00Z'
        FROM generate_series(1, 1000) i;
        INSERT INTO {s}.known_tasks (env, task_id, queue, has_handler, payload_type, keys, process_id, started_at,
          published_at)
        SELECT 1, 'fill_' || i, 'default', true, 'x', '{}', 'fill', timestamptz '2026-03-04 12:00Z',
          timestamptz '2026-03-04 12:00Z'
        FROM generate_series(1, 1000) i;
        INSERT INTO {s}.operator_actions (env, action_id, actor_type, action, at)
        SELECT 1, 'fill_' || i, 'operator', 'prune', timestamptz '2026-03-04 12:00Z' + i * interval '1 second'
        FROM generate_series(1, {n}) i;
        INSERT INTO {s}.throughput_minutes (env, minute, queue, task_id, numbers)
        SELECT 1, timestamptz '2026-03-04 12:01Z' + i * interval '1 minute', 'default', 'orders.charge', '{1}'
        FROM generate_series(1, {n}) i;
        INSERT INTO {s}.throughput_folds (env, grain, at, queue, task_id, numbers)
        SELECT env, 60, minute, queue, task_id, numbers FROM {s}.throughput_minutes
        ON CONFLICT DO NOTHING;
        UPDATE {s}.throughput_folded SET until = timestamptz '2026-03-04 12:00Z' + {n} * interval '1 minute';
        INSERT INTO {s}.run_tags (env, run_id, name, value, created_at)
        SELECT 1, run_id, t.name, 'x', created_at FROM {s}.active_runs, (VALUES ('all'), ('name')) t(name)
        WHERE run_id LIKE 'run_fill_%';
        INSERT INTO {s}.webhooks (env, webhook_id, statuses, task_ids, queues, tag_names, tag_values, last_seen)
        SELECT 1, 'forgotten_' || i, '{}', '{}', '{}', '{}', '{}', timestamptz '2026-02-01 12:00Z'
        FROM generate_series(1, 100) i;
        INSERT INTO {s}.webhook_deliveries (env, webhook_id, run_id, status, ended_at, next_at)
        SELECT 1, 'other', run_id, 'failed', created_at, created_at FROM {s}.active_runs WHERE run_id LIKE 'run_fill_%';
        INSERT INTO {s}.schedules (env, task_id, schedule_id, first_seen)
        SELECT 1, 'orders.charge', 'fill_' || i, timestamptz '2026-03-04 12:00Z' FROM generate_series(1, 5000) i;
        INSERT INTO {s}.schedule_definitions (env, task_id, schedule_id, definition, counts_from, last_seen)
        SELECT env, task_id, schedule_id, 'every PT1H', first_seen, first_seen FROM {s}.schedules WHERE schedule_id LIKE 'fill_%';
        INSERT INTO {s}.log_lines (env, run_id, attempt, number, at, level, line)
        SELECT 1, run_id, 1, 1, created_at, 'info', 'line' FROM {s}.active_runs WHERE run_id LIKE 'run_fill_%'
        """.replace("{s}", scene.schema()).replace("{n}", String.valueOf(BACKLOG)));
  }
}
