package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.storage.pg.Scene.DEFAULT_QUEUE;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static dev.runlane.storage.pg.Scene.MINUTE;
import static dev.runlane.storage.pg.Scene.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRun;
import dev.runlane.conformance.given.TestRuns;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.queue.PauseQueue;
import dev.runlane.operator.queue.ResumeQueue;
import dev.runlane.operator.queue.ResumedRuns;
import dev.runlane.operator.queue.TakeResumedRuns;
import dev.runlane.run.Actor;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.EventHeader;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunStatus;
import dev.runlane.run.StepDispatch;
import dev.runlane.run.StepIds;
import dev.runlane.storage.Cursors;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRunsNeedingCancellationFinalization;
import dev.runlane.storage.read.ListRunsNeedingDelivery;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.read.RunnableRunRef;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimedRuns;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.PrunedRuns;
import dev.runlane.storage.schedule.PruneOccurrences;
import dev.runlane.storage.schedule.RegisterSchedules;
import dev.runlane.storage.schedule.ScheduleStorage;
import dev.runlane.storage.step.ClaimDueSteps;
import dev.runlane.storage.step.ClaimedStep;
import dev.runlane.storage.step.ListPendingSteps;
import dev.runlane.storage.step.ReschedulePendingSteps;
import dev.runlane.storage.step.RetryStep;
import dev.runlane.storage.step.StepStorage;
import io.vertx.core.Future;
import io.vertx.sqlclient.PoolOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Plans are made once, and on a quiet night they are made of empty, vacuumed tables, where every index
 * looks as good as any other. Each statement is prepared so here, on the only connection there is; then the
 * tables are filled, and Postgres' own counters say how many rows and index entries the statement read.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class StatementPlanTest {
  private static final int BACKLOG = 5_000;
  private static final int BATCH = 100;

  /** What a statement may read of its batch, its queues and their partitions: half of what it must not. */
  private static final long MOST_READ = BACKLOG / 2;

  private static final String ALL_PARTITIONS =
      "prune partitions"; // each by its key, as often as it is looked at
  private static final QueuePolicy BOUNDED = QueuePolicy.bounded("bounded", 1_000);
  private static final QueuePolicy BACKLOGGED = QueuePolicy.bounded("backlogged", 1_000);
  private static final QueuePolicy SPREAD = QueuePolicy.bounded("spread", 1);
  private static final IdempotencyTtl HOUR = IdempotencyTtl.of(MINUTE.multipliedBy(60));

  private static final QueuePolicy RESERVED = QueuePolicy.bounded("reserved", 2 * BACKLOG);
  private static final List<String> TABLES = List.of(
      "active_runs",
      "terminal_runs",
      "run_events",
      "run_tags",
      "outbox_messages",
      "pending_steps",
      "idempotency_owners",
      "singleton_owners",
      "queue_capacity");

  private static final FailureRecord FAILURE =
      new FailureRecord(ErrorCode.TRANSPORT_PUBLISH_FAILED, "Refused.", true, null);

  private final Scene scene = Scene.direct();
  private PgStorageAdapter storage;

  @AfterEach
  void close() {
    scene.close();
  }

  private void startOnOneConnection() {
    storage = scene.startAsFirst(scene.options().setPoolOptions(new PoolOptions().setMaxSize(1)));
    scene.countReadsAtOnce();
  }

  @Tag("full")
  @Test
  void nor_one_that_was_planned_while_a_backup_kept_their_pages() {
    no_statement_planned_on_empty_tables_reads_more_than_it_touches_once_they_are_full(
        EmptyTables.VACUUMED_BESIDE_A_BACKUP);
  }

  @ParameterizedTest
  @EnumSource(names = {"VACUUMED", "REINDEXED_BESIDE_A_BACKUP"})
  void no_statement_planned_on_empty_tables_reads_more_than_it_touches_once_they_are_full(
      EmptyTables emptied) {
    startOnOneConnection();
    everyStatement("first");
    if (emptied == EmptyTables.REINDEXED_BESIDE_A_BACKUP) {
      peak();
    }
    emptied.empty(scene, TABLES);
    everyStatement(
        "on_empty_tables"); // the vacuum has made every plan invalid: these are made anew
    fill();
    fillDue();

    List<Reading> readings = everyStatement("on_full_tables");

    assertThat(readings).hasSize(29).allSatisfy(reading -> assertThat(reading.read())
        .as("rows and index entries read by %s", reading.statement())
        .isLessThan(reading.statement().equals(ALL_PARTITIONS) ? 3L * BACKLOG : MOST_READ));
    assertThat(dispatchable(BACKLOGGED)).hasSize(BATCH);
    assertThat(dispatchable(SPREAD)).hasSize(BATCH);
    List<Reading> reserved = new ArrayList<>();
    measure(reserved, "claim reserved", () -> assertThat(
            Scene.claim(storage, List.of(RESERVED), "tok_reserved", BATCH).runs())
        .hasSize(BATCH));
    assertThat(reserved.get(0).read()).isLessThan(MOST_READ);
  }

  @Test
  void a_prune_goes_on_behind_runs_that_stay_without_reading_or_locking_them() {
    startOnOneConnection();
    PruneRuns first = pruningBehind(null);
    done(storage.pruneRuns(first));
    fill(BACKLOG, """
        INSERT INTO {s}.terminal_runs (env, run_id, task_id, queue, status, sequence, attempts, failures,
          retries, releases, idempotency_key, created_at, updated_at, finished_at)
        SELECT 1, 'run_' || i, 'orders.charge', 'default', 'succeeded', 3, 1, 0, 0, 0,
          CASE WHEN i < {n} THEN 'key_' || i END, at, at, at
        FROM generate_series(1, {n}) i CROSS JOIN LATERAL (
          SELECT timestamptz '2026-03-03 12:00Z' + i * interval '1 second' AS at) t;
        INSERT INTO {s}.idempotency_owners (env, task_id, idempotency_key, run_id, created_at, expires_at)
        SELECT 1, 'orders.charge', idempotency_key, run_id, created_at, timestamptz '2027-03-03 12:00Z'
        FROM {s}.terminal_runs WHERE idempotency_key IS NOT NULL
        """);
    int walked = BACKLOG - BATCH / 2;
    String cursor = Cursors.of(first)
        .encode(
            RunStatus.SUCCEEDED.value(),
            NOON.minus(Duration.ofDays(1)).plusSeconds(walked).toString(),
            "run_" + walked);

    List<Reading> readings = new ArrayList<>();
    measure(readings, "prune", () -> assertThat(done(storage.pruneRuns(pruningBehind(cursor))))
        .isEqualTo(new PrunedRuns(1, null)));

    assertThat(readings.get(0).read()).isLessThan(1_000);
    assertThat(scene.rows("terminal_runs")).isEqualTo(BACKLOG - 1);
    assertThat(scene.number("SELECT count(*) FROM {schema}.terminal_runs WHERE xmax <> 0"))
        .isZero();
  }

  private static PruneRuns pruningBehind(@Nullable String cursor) {
    return new PruneRuns(ENVIRONMENT, Set.of(RunStatus.SUCCEEDED), NOON, NOON, BATCH, cursor);
  }

  @Test
  void fires_that_are_too_young_to_be_removed_are_not_read() {
    startOnOneConnection();
    ScheduleStorage schedules = storage.schedules().orElseThrow();
    done(schedules.registerSchedules(new RegisterSchedules(
        ENVIRONMENT,
        List.of(new RegisterSchedules.Definition(Scene.TASK, "often", "every PT1S")),
        NOON,
        MINUTE)));
    PruneOccurrences old = new PruneOccurrences(ENVIRONMENT, NOON, BATCH);
    done(schedules.pruneOccurrences(old));
    fill(BACKLOG, """
        INSERT INTO {s}.schedule_occurrences (env, occurrence_id, schedule_id, fire_at, status, claim_token,
          claim_expires_at, updated_at)
        SELECT 1, 'occ_' || i, 'often', at, 'completed', 'tok', at, at
        FROM generate_series(1, {n}) i CROSS JOIN LATERAL (
          SELECT timestamptz '2026-03-04 12:00Z' + i * interval '1 second' AS at) t;
        UPDATE {s}.schedules SET last_fire = (SELECT max(fire_at) FROM {s}.schedule_occurrences)
        """);

    List<Reading> readings = new ArrayList<>();
    measure(readings, "prune", () -> assertThat(done(schedules.pruneOccurrences(old)))
        .isZero());

    assertThat(readings.get(0).read()).isLessThan(1_000);
  }

  @Test
  void the_walk_over_the_runs_of_a_resumed_queue_does_not_read_those_behind_it() {
    startOnOneConnection();
    OperatorStore operator = storage.operator().orElseThrow();
    takeResumed(operator, "tok_empty");
    fill();
    fill(BATCH / 2, """
        UPDATE {s}.resumed_queues SET claim_token = NULL, claim_until = NULL, (last_time, last_id) = (
          SELECT due_at, run_id FROM {s}.active_runs WHERE queue = 'default'
          ORDER BY due_at DESC, run_id DESC OFFSET {n} LIMIT 1)
        """);

    List<Reading> readings = new ArrayList<>();
    measure(readings, "take resumed runs", () -> assertThat(
            take(operator, "tok_full").orElseThrow().runs())
        .hasSize(BATCH / 2));

    assertThat(readings.get(0).read()).isLessThan(1_000);
  }

  private void takeResumed(OperatorStore operator, String token) {
    String queue = DEFAULT_QUEUE.queue();
    done(operator.pauseQueue(
        new PauseQueue(ENVIRONMENT, queue, Actor.operator("alice"), null, NOON)));
    done(operator.resumeQueue(new ResumeQueue(ENVIRONMENT, queue)));
    assertThat(take(operator, token)).isPresent();
  }

  private static Optional<ResumedRuns> take(OperatorStore operator, String token) {
    return done(operator.takeResumedRuns(new TakeResumedRuns(
        ENVIRONMENT,
        List.of(DEFAULT_QUEUE.queue()),
        token,
        NOON.plusSeconds(BACKLOG),
        MINUTE,
        MINUTE,
        BATCH)));
  }

  private record Reading(String statement, long read) {}

  private interface Use {
    void run();
  }

  private List<Reading> everyStatement(String name) {
    List<Reading> readings = new ArrayList<>();
    List<RunRecord> created = new ArrayList<>();
    measure(readings, "create", () -> created.addAll(create(runs(name, DEFAULT_QUEUE))));
    measure(
        readings,
        "create keyed",
        () -> create(runs(name + "_keyed", DEFAULT_QUEUE).stream()
            .map(run -> run.idempotencyKey(run.creation().runId(), HOUR)
                .singletonKey(run.creation().runId()))
            .toList()));
    measure(readings, "create in partitions", () -> create(runs(name + "_part", BOUNDED)));
    outbox(readings, created);
    measure(
        readings,
        "get",
        () -> done(storage.getRuns(
            new GetRuns(ENVIRONMENT, created.stream().map(RunRecord::id).toList()))));
    scans(readings);
    List<RunRecord> named = new ArrayList<>();
    measure(readings, "claim by name", () -> join(created.stream()
            .map(run -> Scene.claimLease(storage, run, DEFAULT_QUEUE))
            .toList())
        .forEach(claimed -> named.add(claimed.orElseThrow().run())));
    measure(
        readings,
        "end",
        () -> join(named.stream().map(run -> Scene.succeed(storage, run)).toList()));
    List<ClaimedRuns.Claimed> due = new ArrayList<>();
    measure(
        readings,
        "claim due by name",
        () -> due.addAll(Scene.claimNamed(
                storage,
                runs(name + "_keyed", DEFAULT_QUEUE).stream()
                    .limit(BATCH / 2)
                    .map(run -> run.creation().runId())
                    .toList(),
                "tok_named_" + name)
            .runs()));
    assertThat(due).hasSize(BATCH / 2);
    measure(
        readings,
        "claim due",
        () -> due.addAll(
            Scene.claim(storage, List.of(DEFAULT_QUEUE), "tok_" + name, BATCH).runs()));
    measure(
        readings,
        "claim due in partitions",
        () -> due.addAll(
            Scene.claim(storage, List.of(BOUNDED), "tok_bounded_" + name, BATCH).runs()));
    List<RunRecord> asking =
        steps(readings, due.stream().map(ClaimedRuns.Claimed::run).toList());
    measure(
        readings,
        "end claimed",
        () -> join(asking.stream().map(run -> Scene.succeed(storage, run)).toList()));
    measure(
        readings,
        "prune",
        () -> done(storage.pruneRuns(new PruneRuns(
            ENVIRONMENT, Set.of(), NOON.plus(MINUTE), NOON.plus(MINUTE), BATCH, null))));
    measure(
        readings,
        ALL_PARTITIONS,
        () -> done(storage.pruneRuns(
            new PruneRuns(ENVIRONMENT, Set.of(RunStatus.FAILED), NOON, NOON, BATCH, null))));
    return readings;
  }

  /** Each run asks for two remote steps; one of them gets its result, the other is there at the end of the run. */
  private List<RunRecord> steps(List<Reading> readings, List<RunRecord> running) {
    StepStorage pending = storage.steps().orElseThrow();
    List<RunRecord> asking = new ArrayList<>();
    measure(
        readings,
        "request steps",
        () -> asking.addAll(join(running.stream()
            .map(run -> append(run, List.of(request(run, 0), request(run, 1))))
            .toList())));
    List<ClaimedStep> claimed = new ArrayList<>();
    measure(
        readings,
        "claim steps",
        () -> claimed.addAll(
            done(pending.claimDueSteps(new ClaimDueSteps(ENVIRONMENT, NOON, MINUTE, BATCH)))));
    measure(
        readings,
        "move steps",
        () -> done(pending.reschedulePendingSteps(new ReschedulePendingSteps(
            ENVIRONMENT,
            claimed.stream()
                .map(each -> new ReschedulePendingSteps.NextCheck(
                    each.step().runId(), each.step().stepId(), each.token(), NOON, NOON))
                .toList()))));
    ClaimedStep first = claimed.get(0);
    measure(
        readings,
        "retry step",
        () -> done(pending.retryStep(new RetryStep(
            ENVIRONMENT, first.step().runId(), first.step().stepId(), 1, NOON, NOON))));
    measure(
        readings,
        "list steps",
        () -> done(pending.listPendingSteps(
            new ListPendingSteps(ENVIRONMENT, first.step().runId(), null))));
    measure(readings, "find steps", () -> assertThat(join(claimed.stream()
            .map(each -> pending.listPendingSteps(new ListPendingSteps(
                ENVIRONMENT, each.step().runId(), each.step().stepId())))
            .toList()))
        .allMatch(found -> found.size() == 1));
    List<RunRecord> answered = new ArrayList<>();
    measure(
        readings,
        "complete steps",
        () -> answered.addAll(join(asking.stream()
            .map(run -> append(
                run,
                List.of(new RunEvent.StepCompleted(
                    EventHeader.bySystem(ENVIRONMENT, run.id(), run.updatedAt()),
                    StepIds.of(run.id(), 0),
                    1,
                    NOON,
                    null,
                    null))))
            .toList())));
    return answered;
  }

  private static RunEvent request(RunRecord run, int position) {
    return new RunEvent.StepRequested(
        EventHeader.bySystem(ENVIRONMENT, run.id(), run.updatedAt()),
        StepIds.of(run.id(), position),
        "print",
        "print",
        null,
        1,
        null,
        new StepDispatch(NOON.plus(MINUTE), 3, MINUTE, MINUTE, 0));
  }

  private Future<RunRecord> append(RunRecord run, List<RunEvent> events) {
    RunRecord projected = RunReducer.projectRunEvents(run, run.eventSequence(), events);
    return storage
        .appendRunEvents(AppendRunEvents.of(projected, events, NOON))
        .map(AppendedRun::run);
  }

  private void outbox(List<Reading> readings, List<RunRecord> created) {
    List<ClaimedOutboxMessage> messages = new ArrayList<>();
    measure(
        readings,
        "claim outbox",
        () -> messages.addAll(done(storage.claimOutboxMessages(
            new ClaimOutboxMessages(ENVIRONMENT, NOON, MINUTE, BATCH, null)))));
    List<ClaimedOutboxMessage> failed = messages.subList(0, BATCH / 2);
    measure(
        readings,
        "mark failed",
        () -> done(storage.markOutboxMessagesFailed(new MarkOutboxMessagesFailed(
            ENVIRONMENT,
            failed.stream()
                .map(each -> new MarkOutboxMessagesFailed.Failed(
                    each.id(), each.claimToken(), FAILURE, NOON))
                .toList(),
            NOON))));
    List<ClaimedOutboxMessage> published = messages.subList(BATCH / 2, messages.size());
    measure(
        readings,
        "mark published",
        () -> done(storage.markOutboxMessagesPublished(new MarkOutboxMessagesPublished(
            ENVIRONMENT,
            published.stream()
                .map(each ->
                    new MarkOutboxMessagesPublished.Published(each.id(), each.claimToken(), null))
                .toList(),
            NOON))));
    measure(
        readings,
        "messages of a run",
        () -> done(storage
            .outbox()
            .orElseThrow()
            .outboxMessagesOf(new GetRun(ENVIRONMENT, created.get(0).id()))));
  }

  private void scans(List<Reading> readings) {
    List<String> tasks = List.of(Scene.TASK);
    measure(
        readings,
        "list runnable",
        () -> done(storage.listRunnableRuns(
            new ListRunnableRuns(ENVIRONMENT, List.of(DEFAULT_QUEUE), tasks, NOON, BATCH))));
    measure(
        readings,
        "list runnable in partitions",
        () -> done(storage.listRunnableRuns(new ListRunnableRuns(
            ENVIRONMENT, List.of(BOUNDED, BACKLOGGED, RESERVED), tasks, NOON, BATCH))));
    measure(
        readings,
        "list needing delivery",
        () -> done(storage.listRunsNeedingDelivery(
            new ListRunsNeedingDelivery(ENVIRONMENT, List.of("default"), NOON, BATCH))));
    measure(
        readings,
        "list cancelling",
        () -> done(storage.listRunsNeedingCancellationFinalization(
            new ListRunsNeedingCancellationFinalization(ENVIRONMENT, NOON, BATCH))));
    measure(readings, "list needing dispatch", () -> dispatchable(BACKLOGGED));
    measure(readings, "list needing dispatch of many partitions", () -> dispatchable(SPREAD));
  }

  private List<RunnableRunRef> dispatchable(QueuePolicy queue) {
    return done(storage.listRunsNeedingDispatch(
        new ListRunsNeedingDispatch(ENVIRONMENT, List.of(queue), NOON, BATCH)));
  }

  private static List<TestRun> runs(String name, QueuePolicy queue) {
    return IntStream.range(0, BATCH)
        .mapToObj(i ->
            TestRuns.queued("run_" + name + "_" + i).queue(queue).concurrencyKey("key_" + i % 10))
        .toList();
  }

  private List<RunRecord> create(List<TestRun> runs) {
    return join(runs.stream()
            .map(run -> {
              AppendRunEvents creation = run.creation();
              return storage.appendRunEvents(
                  creation.projectedRun().queue().equals("bounded")
                      ? creation.in(BOUNDED)
                      : creation);
            })
            .toList())
        .stream()
        .map(appended -> appended.run())
        .toList();
  }

  private static <T> List<T> join(List<Future<T>> futures) {
    done(Future.join(futures));
    return futures.stream().map(Future::result).toList();
  }

  private void measure(List<Reading> readings, String statement, Use use) {
    long before = scene.rowsRead(storage);
    use.run();
    readings.add(new Reading(statement, scene.rowsRead(storage) - before));
  }

  /** Rows that none of the measured statements has any business with, beside those it works on. */
  private void fill() {
    fill(BACKLOG, """
        INSERT INTO {s}.active_runs (env, run_id, task_id, queue, partition, status, kind, occupies, due_at,
          sequence, attempts, failures, retries, releases, created_at, updated_at)
        SELECT 1, 'run_fill_' || q.queue || i, 'orders.charge', q.queue, q.partition, 'queued', 0, false,
          timestamptz '2026-03-04 12:00Z' + i * interval '1 second', 2, 0, 0, 0, 0,
          timestamptz '2026-03-04 12:00Z', timestamptz '2026-03-04 12:00Z'
        FROM generate_series(1, {n}) i, (VALUES ('default', NULL), ('bounded', 'key_1'), ('other', NULL))
          q(queue, partition);
        INSERT INTO {s}.run_events (env, run_id, sequence, type, occurred_at, body)
        SELECT 1, run_id, 1, 'run.created', created_at, '{}' FROM {s}.active_runs
        WHERE run_id LIKE 'run_fill_%';
        INSERT INTO {s}.terminal_runs (env, run_id, task_id, queue, status, sequence, attempts, failures,
          retries, releases, created_at, updated_at, finished_at)
        SELECT 1, 'run_old_' || i, 'orders.charge', 'default', 'succeeded', 3, 1, 0, 0, 0,
          timestamptz '2026-03-03 12:00Z', timestamptz '2026-03-03 12:00Z', timestamptz '2026-03-03 12:00Z'
        FROM generate_series(1, {n}) i;
        INSERT INTO {s}.run_tags (env, run_id, name, value, created_at)
        SELECT 1, run_id, 'name', 'x', created_at FROM {s}.active_runs WHERE run_id LIKE 'run_fill_%';
        INSERT INTO {s}.outbox_messages (env, run_id, sequence, message_id, queue, status, requested_at,
          available_at, next_at)
        SELECT 1, run_id, 2, 'msg_' || run_id, queue, 'pending', created_at, due_at, due_at
        FROM {s}.active_runs WHERE run_id LIKE 'run_fill_%';
        INSERT INTO {s}.pending_steps (env, step_id, run_id, position, request_sequence, name, grp, attempt,
          next_at, deadline_at)
        SELECT 1, run_id || ':0', run_id, 0, 1, 'print', 'print', 1, due_at, due_at
        FROM {s}.active_runs WHERE run_id LIKE 'run_fill_%';
        INSERT INTO {s}.queue_capacity (env, queue, partition, used)
        SELECT 1, 'bounded', 'idle_' || i, 0 FROM generate_series(1, {n}) i;
        INSERT INTO {s}.idempotency_owners (env, task_id, idempotency_key, run_id, created_at, expires_at)
        SELECT 1, 'orders.charge', run_id, run_id, created_at, created_at FROM {s}.active_runs
        WHERE run_id LIKE 'run_fill_%';
        INSERT INTO {s}.singleton_owners (env, task_id, singleton_key, run_id)
        SELECT 1, 'orders.charge', run_id, run_id FROM {s}.active_runs WHERE run_id LIKE 'run_fill_%'
        """);
  }

  /** As many runs as give the indexes of due ones a level more than the key has, whose entries are shorter. */
  private void peak() {
    fill(12_000, """
        INSERT INTO {s}.active_runs (env, run_id, task_id, queue, partition, status, kind, occupies, due_at,
          sequence, attempts, failures, retries, releases, created_at, updated_at)
        SELECT 1, 'run_peak_' || q.partition || i, 'orders.charge.of.a.customer.by.card', 'orders_with_a_longer_name',
          q.partition, 'queued', 0, false, timestamptz '2026-03-04 12:00Z' + i * interval '1 second', 2, 0, 0, 0, 0,
          timestamptz '2026-03-04 12:00Z', timestamptz '2026-03-04 12:00Z'
        FROM generate_series(1, {n}) i, (VALUES (''), ('of_a_customer')) q(partition);
        UPDATE {s}.active_runs SET partition = NULL WHERE partition = ''
        """);
  }

  /** Due runs of bounded queues: many that wait in one partition, one in each of many, and many that hold a slot. */
  private void fillDue() {
    fill(BACKLOG / 2, """
        INSERT INTO {s}.active_runs (env, run_id, task_id, queue, partition, status, kind, occupies, lease_token,
          due_at, sequence, attempts, failures, retries, releases, created_at, updated_at)
        SELECT 1, 'run_due_' || q.queue || i, 'orders.charge', q.queue, 'key_' || i % q.partitions, q.status, q.kind,
          q.lease_token IS NOT NULL, q.lease_token, timestamptz '2026-03-04 12:00Z' - i * interval '1 second',
          2, 0, 0, 0, 0, timestamptz '2026-03-04 06:00Z', timestamptz '2026-03-04 06:00Z'
        FROM generate_series(1, {n}) i, (VALUES ('backlogged', 1, 'queued', 0, NULL),
          ('spread', {n}, 'queued', 0, NULL), ('lost', 1, 'running', 1, 'tok'))
          q(queue, partitions, status, kind, lease_token);
        INSERT INTO {s}.queue_capacity (env, queue, partition, used) VALUES (1, 'lost', 'key_0', {n})
        """);
    fill(BACKLOG / 10, """
        INSERT INTO {s}.active_runs (env, run_id, task_id, queue, partition, status, kind, occupies,
          dispatched_at, dispatch_expires_at, due_at, sequence, attempts, failures, retries, releases, created_at,
          updated_at)
        SELECT 1, 'run_reserved_' || i, 'orders.charge', 'reserved', '', 'queued', 3, true, t.at - interval '1 hour',
          t.at, t.at, 3, 0, 0, 0, 0, t.at - interval '2 hours', t.at - interval '1 hour'
        FROM generate_series(1, {n}) i, (VALUES (timestamptz '2026-03-04 13:00Z')) t(at);
        INSERT INTO {s}.run_events (env, run_id, sequence, type, occurred_at, body)
        SELECT 1, run_id, 1, 'run.created', created_at,
          (SELECT body FROM {s}.run_events WHERE type = 'run.created' AND body <> '{}' LIMIT 1)
        FROM {s}.active_runs WHERE run_id LIKE 'run_reserved_%';
        INSERT INTO {s}.queue_capacity (env, queue, partition, used) VALUES (1, 'reserved', '', {n})
        """);
  }

  /** Statements in which {@code {s}} is the schema and {@code {n}} this number, see {@link Scene#change}. */
  private void fill(int number, String statements) {
    scene.change(statements.replace("{s}", scene.schema()).replace("{n}", String.valueOf(number)));
  }
}
