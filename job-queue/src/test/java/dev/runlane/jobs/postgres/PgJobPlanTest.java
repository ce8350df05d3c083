package dev.runlane.jobs.postgres;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.jobs.JobState.COMPLETED;
import static dev.runlane.jobs.JobState.FAILED;
import static dev.runlane.jobs.postgres.JobScene.NOON;
import static dev.runlane.jobs.postgres.JobScene.QUEUE;
import static dev.runlane.jobs.postgres.JobScene.fetching;
import static dev.runlane.jobs.postgres.JobScene.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.RateLimit;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishAndFetch;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FireSchedule;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.UpsertSchedule;
import dev.runlane.run.Json;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/**
 * Plans are made once, of what Postgres believes of the tables at that moment: on a quiet night that they are empty,
 * where every index looks as good as any other. Each statement is prepared so here, on the only connection there is;
 * then the tables are filled, and Postgres' own counters say how many rows and index entries the statement read.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgJobPlanTest {
  /** A tenth of them has failed: as many as are looked at. */
  private static final int LONG_HISTORY = 10 * JobStore.MOST_LOOKED_AT;

  private static final int HISTORY = 10_000;
  private static final int BACKLOG = 10_000;
  private static final int BATCH = 50;

  private static final List<String> TABLES = List.of(
      "jobs", "job_entries", "job_groups", "job_group_marks", "job_rate_fetches", "job_schedules");

  /** The jobs of four states that are looked at where the history is longer. */
  private static final long LOOKED_AT = 5L * JobStore.MOST_LOOKED_AT;

  private final JobScene scene = JobScene.direct();
  private PgJobStore store;
  private int counted;

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void no_statement_planned_on_new_tables_reads_more_than_it_touches_once_they_are_full() {
    connect();
    everyStatement("on_new_tables");

    assertNothingElseIsRead();
  }

  @Test
  void nor_one_that_was_planned_on_emptied_and_vacuumed_ones() {
    connect();
    everyStatement("first");
    empty();
    vacuum();
    everyStatement(
        "on_empty_tables"); // the vacuum has made every plan invalid: these are made anew

    assertNothingElseIsRead(LONG_HISTORY);
    assertThat(readOf(() -> done(store.listQueues()))).isLessThan(LOOKED_AT);
    assertThat(readOf(() -> done(store.searchByName("nobody", Optional.of(QUEUE), 10))))
        .isLessThan(LOOKED_AT);
    assertThat(readOf(() -> done(store.searchByPayload(QUEUE, "nothing", 10))))
        .isLessThan(LOOKED_AT);
    assertThat(done(store.listQueues()).get(0).counts())
        .containsEntry(COMPLETED, (long) JobStore.MOST_LOOKED_AT)
        .containsEntry(FAILED, (long) JobStore.MOST_LOOKED_AT);
  }

  @Test
  void nor_one_that_was_planned_on_ones_that_keep_their_pages_for_an_old_snapshot() {
    connect();
    everyStatement("first");
    PgConnection old = done(scene.connect());
    done(old.query("BEGIN ISOLATION LEVEL REPEATABLE READ").execute());
    done(old.query("SELECT count(*) FROM " + scene.options().getSchema() + ".jobs")
        .execute());
    empty();
    vacuum();
    everyStatement("behind_a_snapshot");
    done(old.close()); // what it keeps from being removed is read by any plan

    assertNothingElseIsRead();
  }

  /** As after a restore: of indexes that cost the same, Postgres takes the last that was made. */
  @Test
  void nor_one_that_was_planned_while_indexes_had_another_order() {
    connect();
    everyStatement("first");
    empty();
    for (String index : List.of("jobs_waiting_grouped", "jobs_pkey", "job_schedules_pkey")) {
      scene.sql("REINDEX INDEX CONCURRENTLY {s}." + index);
    }
    vacuum();
    everyStatement("with_other_indexes");

    assertNothingElseIsRead();
  }

  @Test
  void nor_one_that_was_planned_by_what_was_counted_in_other_queues() {
    connect();
    fill("'queue_' || i", HISTORY);
    vacuum();
    everyStatement("analysed");
    empty();

    assertNothingElseIsRead();
  }

  private void connect() {
    store = scene.create(scene.options().setPoolOptions(new PoolOptions().setMaxSize(1)));
    done(store.connect());
    scene.countReadsAtOnce("INSERT ON {s}.job_pauses");
    for (String table : TABLES) {
      scene.sql("ALTER TABLE {s}." + table + " SET (autovacuum_enabled = off)");
    }
  }

  private void empty() {
    TABLES.forEach(table -> scene.sql("DELETE FROM {s}." + table));
  }

  private void vacuum() {
    TABLES.forEach(table -> scene.sql("VACUUM (ANALYZE) {s}." + table));
  }

  private void assertNothingElseIsRead() {
    assertNothingElseIsRead(HISTORY);
  }

  private void assertNothingElseIsRead(int history) {
    fill("'orders'", history);
    done(store.removeExpiredJobs(QUEUE, NOON, 1)); // takes in the groups

    List<Reading> readings = everyStatement("on_full_tables");

    assertThat(readings).hasSize(20).allSatisfy(reading -> assertThat(reading.read())
        .as("rows and index entries read by %s", reading.statement())
        .isLessThan(40L * BATCH));
  }

  private record Reading(String statement, long read) {}

  private List<Reading> everyStatement(String name) {
    List<Reading> readings = new ArrayList<>();
    measure(readings, "save", () -> done(store.saveBulk(QUEUE, jobs(name, JobOptions.NONE), NOON)));
    JobOptions keyed = JobOptions.builder()
        .deduplication(JobDeduplication.byKey(name))
        .group(new JobGroup("group_" + name, 10_000))
        .build();
    measure(
        readings, "save keyed", () -> done(store.saveBulk(QUEUE, jobs("k" + name, keyed), NOON)));
    measure(readings, "save flow", () -> done(store.saveFlow(flow(name), NOON)));
    List<JobData> running = new ArrayList<>();
    measure(
        readings,
        "fetch",
        () -> running.addAll(done(store.fetchNextJobs(fetching(BATCH, FetchOptions.ANY)))));
    measure(
        readings,
        "fetch last",
        () -> running.addAll(
            done(store.fetchNextJobs(fetching(BATCH, FetchOptions.ANY.lastFirst())))));
    measure(
        readings,
        "fetch in turn",
        () -> running.addAll(done(
            store.fetchNextJobs(fetching(BATCH, FetchOptions.ANY.withGroupConcurrency(1_000))))));
    measure(
        readings,
        "fetch within limits",
        () -> running.addAll(done(store.fetchNextJobs(fetching(
            BATCH,
            FetchOptions.ANY
                .withGlobalConcurrency(100_000)
                .withRateLimit(new RateLimit(100_000, Duration.ofMinutes(1))))))));
    measure(
        readings,
        "extend",
        () -> done(
            store.extendLocks(running.stream().map(JobData::lock).toList(), JobScene.LOCK, NOON)));
    PgConnection holder = hold(running.get(0));
    measure(
        readings,
        "extend held",
        () -> done(store.extendLocks(
            running.subList(0, BATCH).stream().map(JobData::lock).toList(), JobScene.LOCK, NOON)));
    done(holder.close());
    List<JobData> handedOver = running.subList(0, running.size() / 4);
    List<JobData> completing = running.subList(running.size() / 4, running.size() / 2);
    List<JobData> failing = running.subList(running.size() / 2, running.size());
    measure(
        readings,
        "hand over",
        () -> done(store.finishAndFetch(new FinishAndFetch(
            handedOver.stream().map(JobScene::completing).toList(),
            fetching(BATCH, FetchOptions.ANY)))));
    measure(readings, "complete", () -> JobScene.completeAll(store, completing));
    measure(
        readings,
        "fail",
        () -> done(store.finishJobs(failing.stream()
            .map(each -> FinishJob.of(each.lock(), new JobOutcome.Failed("no luck", "stack"), NOON))
            .toList())));
    measure(readings, "get", () -> done(store.getJob(QUEUE, completing.get(0).id())));
    measure(
        readings, "list completed", () -> done(store.listJobs(QUEUE, COMPLETED, BATCH, 2 * BATCH)));
    measure(readings, "list failed", () -> done(store.listJobs(QUEUE, FAILED, BATCH, 2 * BATCH)));
    measure(readings, "find by key", () -> done(store.findByDeduplicationKey(QUEUE, name, NOON)));
    measure(
        readings,
        "count of a group",
        () -> done(store.getWaitingGroupCount(QUEUE, "group_" + name)));
    JobRepeat repeat = JobRepeat.every(Duration.ofMinutes(1));
    done(store.upsertSchedule(new UpsertSchedule(
        QUEUE, name, "a", Json.ofChecked("{}"), JobOptions.NONE, repeat, NOON, NOON)));
    measure(readings, "fire", () -> assertThat(done(store.fireSchedule(
            new FireSchedule(QUEUE, name, NOON, repeat, job("fired"), NOON.plusSeconds(60), NOON))))
        .isPresent());
    measure(readings, "next delayed", () -> done(store.getNextDelayedTimestamp(QUEUE)));
    measure(readings, "promote", () -> done(store.promoteDelayedJobs(QUEUE, NOON)));
    return readings;
  }

  /** Somebody who holds the row of a job, and has looked at no other. */
  private PgConnection hold(JobData job) {
    PgConnection holder = done(scene.connect());
    done(holder.query("SET enable_seqscan = off; BEGIN").execute());
    done(holder
        .preparedQuery("SELECT FROM %s.jobs WHERE queue = $1 AND id = $2 FOR UPDATE"
            .formatted(scene.options().getSchema()))
        .execute(Tuple.of(QUEUE, job.id())));
    return holder;
  }

  private static List<NewJob> jobs(String name, JobOptions options) {
    return IntStream.range(0, BATCH)
        .mapToObj(i -> job(name, options).withId(name + "_" + i))
        .toList();
  }

  private static List<FlowNode> flow(String name) {
    String root = "root_" + name;
    List<String> leaves =
        IntStream.range(0, 5).mapToObj(i -> "leaf_" + name + i).toList();
    List<FlowNode> nodes = new ArrayList<>();
    leaves.forEach(
        leaf -> nodes.add(new FlowNode(QUEUE, job("leaf").withId(leaf).childOf(QUEUE, root))));
    nodes.add(new FlowNode(QUEUE, job("root").withId(root).parentOf(leaves)));
    return nodes;
  }

  private void measure(List<Reading> readings, String statement, Runnable use) {
    long before = read();
    use.run();
    readings.add(new Reading(statement, read() - before));
  }

  private long readOf(Runnable use) {
    long before = read();
    use.run();
    return read() - before;
  }

  /** Postgres counts at the end of a transaction, of this one at once. */
  private long read() {
    done(store.pauseJobName("counted", "name_" + counted++));
    return scene.statistic("""
        SELECT (SELECT coalesce(sum(seq_tup_read), 0) FROM pg_stat_user_tables
            WHERE schemaname = '{s}' AND relname <> 'job_pauses')
          + (SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes
            WHERE schemaname = '{s}' AND relname <> 'job_pauses')
        """);
  }

  /** Jobs of queues that none of the measured statements has any business with, beside those it works on. */
  private void fill(String queue, int history) {
    scene.sql("""
        INSERT INTO {s}.jobs (queue, id, place, name, state, priority, attempts_made, started_attempts, stalls,
          progress, pending_children, discarded, repeats, counted, removal, created_at, delay_until, completed_at,
          failed_at, group_id, options, data)
        SELECT {queue}, 'old_' || i, nextval('{s}.job_places'), 'a',
          CASE WHEN i % 10 = 0 THEN 'failed' ELSE 'completed' END, 0, 0, 1, 0, 0, 0, false, false, false, 0,
          timestamptz '2026-03-03 12:00Z', NULL::timestamptz, CASE WHEN i % 10 > 0 THEN timestamptz '2026-03-03 12:00Z' + i * interval '1 ms' END,
          CASE WHEN i % 10 = 0 THEN timestamptz '2026-03-03 12:00Z' + i * interval '1 ms' END, NULL::text, '{}', '{}'
        FROM generate_series(1, {history}) i
        UNION ALL
        SELECT {queue}, 'waiting_' || i, nextval('{s}.job_places'), 'a', 'waiting', 0, 0, 0, 0, 0, 0, false, false,
          false, 0, timestamptz '2026-03-03 12:00Z', NULL::timestamptz, NULL::timestamptz, NULL::timestamptz,
          CASE WHEN i % 2 = 0 THEN 'group_' || i / 1000 END, '{}', '{}'
        FROM generate_series(1, {backlog}) i
        UNION ALL
        SELECT {queue}, 'delayed_' || i, nextval('{s}.job_places'), 'a', 'delayed', 0, 0, 0, 0, 0, 0, false, false,
          false, 0, timestamptz '2026-03-03 12:00Z', timestamptz '2027-03-03 12:00Z', NULL::timestamptz, NULL::timestamptz, NULL::text, '{}', '{}'
        FROM generate_series(1, {backlog}) i;
        INSERT INTO {s}.job_entries (queue, job_id, kind, number, attempt, body)
        SELECT queue, id, 0, 1, 1, 'line' FROM {s}.jobs WHERE id LIKE 'old_%';
        INSERT INTO {s}.job_groups (queue, group_id, served) SELECT {queue}, 'idle_' || i, i
        FROM generate_series(1, {backlog}) i;
        INSERT INTO {s}.job_schedules (queue, key, name, data, options, repeat, next_at, fired, created_at, updated_at)
        SELECT {queue}, 'key_' || i, 'a', '{}', '{}', '{}', timestamptz '2026-03-04 12:00Z', 0, '2026-03-04 12:00Z',
          '2026-03-04 12:00Z'
        FROM generate_series(1, {backlog}) i
        """.replace("{queue}", queue)
        .replace("{history}", String.valueOf(history))
        .replace("{backlog}", String.valueOf(BACKLOG)));
  }
}
