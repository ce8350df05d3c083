package dev.runlane.jobs.postgres;

import static dev.runlane.conformance.kit.Outcomes.cause;
import static dev.runlane.conformance.kit.Outcomes.done;
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
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.RateLimit;
import dev.runlane.jobs.postgres.life.BulkChanges;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.jobs.store.Obliterate;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/**
 * Changes of many jobs come in parts, each a transaction; when one fails, the call continues where it was, made again.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgJobBulkTest {
  private static final int MANY = 2_500;
  private static final String PARENTS = "parents";
  private static final List<String> BELONGINGS =
      List.of("job_groups", "job_group_marks", "job_rate_fetches", "job_metrics", "job_schedules");

  private final JobScene scene = JobScene.open();
  private PgJobStore store;

  @BeforeEach
  void watch() {
    store = scene.connected();
    scene.sql("""
        CREATE TABLE {s}.touched (transaction bigint, jobs bigint);
        CREATE TABLE {s}.trouble (after bigint);
        CREATE FUNCTION {s}.touch() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO {s}.touched SELECT txid_current(), count(*) FROM touched_rows;
          IF (SELECT sum(t.jobs) FROM {s}.touched t) > (SELECT min(t.after) FROM {s}.trouble t) THEN
            RAISE EXCEPTION 'no luck';
          END IF;
          RETURN NULL;
        END $$;
        CREATE TRIGGER touch_updated AFTER UPDATE ON {s}.jobs REFERENCING NEW TABLE AS touched_rows
          FOR EACH STATEMENT EXECUTE FUNCTION {s}.touch();
        CREATE TRIGGER touch_deleted AFTER DELETE ON {s}.jobs REFERENCING OLD TABLE AS touched_rows
          FOR EACH STATEMENT EXECUTE FUNCTION {s}.touch()
        """);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void failed_jobs_are_tried_again_in_parts() {
    fill("failed", "NULL", "timestamptz '2026-03-04 12:00Z' + i % 2000 * interval '1 ms'");

    assertGoesOn(() -> store.retryJobs(QUEUE, JobState.FAILED));

    assertThat(count(JobState.WAITING)).isEqualTo(MANY);
  }

  @Test
  void many_keys_take_one_lock_and_calls_with_few_get_on_beside() {
    scene.sql("""
        CREATE FUNCTION {s}.count_locks() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO {s}.touched SELECT txid_current(), count(*) FROM pg_locks
          WHERE locktype = 'advisory' AND pid = pg_backend_pid();
          RETURN NULL;
        END $$;
        CREATE TRIGGER count_locks AFTER INSERT ON {s}.jobs FOR EACH STATEMENT EXECUTE FUNCTION {s}.count_locks()
        """);
    List<NewJob> many = IntStream.range(0, 2_000).mapToObj(PgJobBulkTest::keyed).toList();

    Future<List<SavedJob>> all = store.saveJobs(QUEUE, many, NOON);
    List<Future<List<SavedJob>>> singles = IntStream.range(0, 20)
        .mapToObj(each -> store.saveJobs(QUEUE, List.of(keyed(each * 80)), NOON))
        .toList();

    assertThat(done(all)).hasSize(2_000);
    singles.forEach(each -> assertThat(done(each)).hasSize(1));
    assertThat(count(JobState.WAITING)).isEqualTo(2_000);
    assertThat(scene.number("SELECT max(jobs) FROM {s}.touched")).isLessThan(100);
  }

  private static NewJob keyed(int number) {
    return job(
        "j",
        JobOptions.builder()
            .deduplication(JobDeduplication.byKey("key " + number))
            .build());
  }

  @Test
  void jobs_that_failed_nobody_knows_when_are_tried_again_too() {
    fill("failed", "NULL", "CASE WHEN i % 2 = 0 THEN timestamptz '2026-03-04 12:00Z' END");

    assertThat(done(store.retryJobs(QUEUE, JobState.FAILED))).isEqualTo(MANY);

    assertThat(count(JobState.WAITING)).isEqualTo(MANY);
  }

  @Test
  void failed_jobs_that_fit_are_counted_and_tried_again_in_parts_however_many_failed_at_once() {
    fill("failed", "NULL", "CASE WHEN i % 5 > 0 THEN timestamptz '2026-03-04 12:00Z' END");
    scene.sql("UPDATE {s}.jobs SET cancelled_at = created_at WHERE place % 2 = 0;"
        + " DELETE FROM {s}.touched");

    assertThat(done(store.countJobs(QUEUE, FailedJobsFilter.ALL))).isEqualTo(MANY / 2);
    failed(() -> store.retryJobs(QUEUE, FailedJobsFilter.ALL));
    done(store.retryJobs(QUEUE, FailedJobsFilter.ALL));

    assertThat(count(JobState.WAITING)).isEqualTo(MANY / 2);
    assertThat(count(JobState.FAILED)).isEqualTo(MANY / 2);
    assertThat(done(store.countJobs(QUEUE, FailedJobsFilter.ALL))).isZero();
    assertInParts(BulkChanges.PART);
  }

  @Test
  void delayed_jobs_are_promoted_in_parts() {
    fill("delayed", "CASE WHEN i > 3 THEN timestamptz '2026-03-05 12:00Z' END", "NULL");

    assertGoesOn(() -> store.promoteJobs(QUEUE));

    assertThat(count(JobState.WAITING)).isEqualTo(MANY);
  }

  @Test
  void delayed_jobs_that_are_due_are_promoted_in_parts() {
    fill("delayed", "timestamptz '2026-03-04 12:00Z'", "NULL");

    assertGoesOn(() -> store.promoteDelayedJobs(QUEUE, NOON));

    assertThat(count(JobState.WAITING)).isEqualTo(MANY);
  }

  @Test
  void a_fetch_with_a_rate_limit_forgets_a_bounded_number_of_old_hand_outs() {
    scene.sql(
        "INSERT INTO {s}.job_rate_fetches (queue, number, fetched_at, window_millis, jobs)"
            + " SELECT 'orders', -i, timestamptz '2026-03-01 12:00Z', 1000, 1 FROM generate_series(1, 2500) i");
    FetchOptions limited = FetchOptions.ANY.withRateLimit(new RateLimit(5, Duration.ofSeconds(1)));

    done(store.fetchNextJobs(fetching(1, limited)));
    assertThat(oldHandOuts()).isEqualTo(1_500);
    done(store.fetchNextJobs(fetching(1, limited)));
    done(store.fetchNextJobs(fetching(1, limited)));
    assertThat(oldHandOuts()).isZero();
  }

  private long oldHandOuts() {
    return scene.number("SELECT count(*) FROM {s}.job_rate_fetches WHERE number < 0");
  }

  @Test
  void ended_jobs_are_cleaned_in_parts() {
    fill("failed", "NULL", "timestamptz '2026-03-04 12:00Z' + i * interval '1 ms'");

    assertGoesOn(
        () -> store.clean(QUEUE, JobState.FAILED, Duration.ZERO, NOON.plus(Duration.ofHours(1))));

    assertThat(count(JobState.FAILED)).isZero();
  }

  @Test
  void ended_jobs_of_very_many_lines_are_cleaned_few_at_a_time_and_all_in_the_end() {
    fill(100, "failed", "NULL", "timestamptz '2026-03-04 12:00Z' + i * interval '1 ms'");
    fillLines();

    assertThat(done(
            store.clean(QUEUE, JobState.FAILED, Duration.ZERO, NOON.plus(Duration.ofHours(1)))))
        .isEqualTo(100);

    assertFewAtATime();
  }

  @Test
  void expired_jobs_of_very_many_lines_are_removed_few_at_a_time_and_as_many_as_asked_for() {
    fill(110, "failed", "NULL", "timestamptz '2026-03-04 12:00Z'");
    fillLines();
    scene.sql(
        "UPDATE {s}.jobs SET remove_at = timestamptz '2026-03-04 12:00Z'; DELETE FROM {s}.touched");

    assertThat(done(store.removeExpiredJobs(QUEUE, NOON, 50))).isEqualTo(50);
    assertThat(done(store.removeExpiredJobs(QUEUE, NOON, 1_000))).isEqualTo(60);

    assertFewAtATime();
  }

  @Test
  void a_queue_of_jobs_of_very_many_lines_is_drained_few_at_a_time() {
    fill(100, "waiting", "NULL", "NULL");
    fillLines();

    done(store.drain(QUEUE, NOON));

    assertFewAtATime();
  }

  @Test
  void children_of_very_many_lines_are_drained_few_at_a_time() {
    List<FlowNode> nodes = new ArrayList<>();
    IntStream.range(0, 50).forEach(i -> addFlow(nodes, PARENTS, "there " + i));
    done(store.saveFlow(nodes, NOON));
    fillLines();

    assertThat(done(store.drain(QUEUE, NOON))).hasSize(50);

    assertThat(done(store.getJobCounts(QUEUE)).values()).containsOnly(0L);
    assertInParts(2 * 20);
  }

  @Test
  void a_queue_of_jobs_of_very_many_lines_is_obliterated_few_at_a_time() {
    fill(100, "failed", "NULL", "timestamptz '2026-03-04 12:00Z'");
    fillLines();

    done(store.obliterate(QUEUE, Obliterate.IF_IDLE, NOON));

    assertFewAtATime();
  }

  @Test
  void surplus_jobs_of_very_many_lines_go_few_with_each_end() {
    fill(100, "failed", "NULL", "timestamptz '2026-03-04 11:00Z' + i * interval '1 ms'");
    fillLines();
    JobOptions keeping =
        JobOptions.builder().removeOnFail(JobRemoval.keeping(10)).build();
    List<Long> left = new ArrayList<>();

    for (int end = 0; end < 6; end++) {
      done(store.saveJob(QUEUE, job("a", keeping), NOON));
      JobData running =
          done(store.fetchNextJobs(JobScene.fetching(1, FetchOptions.ANY))).get(0);
      done(store.finishJob(
          FinishJob.of(running.lock(), new JobOutcome.Failed("no luck", null), NOON)));
      left.add(count(JobState.FAILED));
    }

    assertThat(left).containsExactly(81L, 62L, 43L, 24L, 10L, 10L);
  }

  /** As a line is left that is written while another statement removes its job. */
  @Test
  void entries_of_jobs_that_are_gone_are_removed_and_those_of_others_stay() {
    fill("waiting", "NULL", "NULL");
    fillLines();
    scene.sql(
        "DELETE FROM {s}.jobs WHERE queue = 'orders' AND id < (SELECT max(id) FROM {s}.jobs)");
    long stray = scene.number("SELECT count(DISTINCT job_id) FROM {s}.job_entries") - 1;
    assertThat(stray).isGreaterThan(1_000);

    done(store.removeExpiredJobs(QUEUE, NOON, 100));
    assertThat(scene.number("SELECT count(DISTINCT job_id) FROM {s}.job_entries"))
        .as("after a part of bounded size")
        .isEqualTo(stray + 1 - 1_000);
    for (long left = stray; left > 0; left -= 1_000) {
      done(store.removeExpiredJobs(QUEUE, NOON, 100));
    }

    assertThat(scene.number(
            "SELECT count(*) FROM {s}.job_entries WHERE job_id = (SELECT max(id) FROM {s}.jobs)"))
        .isEqualTo(2);
    assertThat(scene.number("SELECT count(*) FROM {s}.job_entries")).isEqualTo(2);
  }

  /** Of each job the first and the last of a thousand lines: what is between them is not looked at. */
  private void fillLines() {
    scene.sql("""
        INSERT INTO {s}.job_entries (queue, job_id, kind, number, attempt, body)
        SELECT queue, id, 0, number, 1, 'line' FROM {s}.jobs, (VALUES (1), (1000)) lines(number) WHERE queue = 'orders'
        """);
  }

  /** Nothing is left, and no transaction removed more than twenty thousand lines. */
  private void assertFewAtATime() {
    assertThat(done(store.getJobCounts(QUEUE)).values()).containsOnly(0L);
    assertThat(scene.number("SELECT count(*) FROM {s}.job_entries")).isZero();
    assertInParts(20);
  }

  @Test
  void a_queue_is_drained_in_parts() {
    fill("waiting", "NULL", "NULL");
    fillFlows();

    assertThat(failed(() -> store.drain(QUEUE, NOON))).hasMessageContaining("drain");
    List<JobChange> changes = done(store.drain(QUEUE, NOON));

    assertThat(changes).extracting(JobChange::queueName).containsOnly(PARENTS);
    assertThat(done(store.countJobs(PARENTS, JobState.FAILED))).isEqualTo(600);
    assertThat(done(store.getJobCounts(QUEUE)).values()).containsOnly(0L);
    assertInParts(2 * BulkChanges.PART); // a part of children writes their parents besides
  }

  @Test
  void a_queue_is_obliterated_in_parts() {
    fill("failed", "NULL", "timestamptz '2026-03-04 12:00Z'");
    fillFlows();
    done(store.fetchNextJobs(JobScene.fetching(10, FetchOptions.ANY)));

    assertThat(((RunlaneException) cause(store.obliterate(QUEUE, Obliterate.IF_IDLE, NOON)))
            .conflictKind())
        .contains(StorageConflictKind.JOB_STATE);
    assertThat(count(JobState.FAILED)).isEqualTo(MANY);
    assertThat(failed(() -> store.obliterate(QUEUE, Obliterate.FORCED, NOON)))
        .hasMessageContaining("obliterate");
    List<JobChange> changes = done(store.obliterate(QUEUE, Obliterate.FORCED, NOON));

    assertThat(changes).extracting(JobChange::queueName).containsOnly(PARENTS);
    assertThat(done(store.countJobs(PARENTS, JobState.FAILED))).isEqualTo(600);
    assertThat(done(store.getJobCounts(QUEUE)).values()).containsOnly(0L);
    assertInParts(2 * BulkChanges.PART);
  }

  @Test
  void what_belongs_to_a_queue_is_obliterated_in_parts_and_the_same_call_again_does_the_rest() {
    fillBelongings();
    done(store.saveJob(QUEUE, job("last", grouped("group_7")), NOON));
    for (String table : BELONGINGS) {
      scene.sql(
          "CREATE TRIGGER touch_deleted AFTER DELETE ON {s}." + table
              + " REFERENCING OLD TABLE AS touched_rows FOR EACH STATEMENT EXECUTE FUNCTION {s}.touch()");
    }

    assertThat(failed(() -> store.obliterate(QUEUE, Obliterate.IF_IDLE, NOON)))
        .hasMessageContaining("obliterate");
    assertThat(count(JobState.WAITING)).isEqualTo(1);
    done(store.obliterate(QUEUE, Obliterate.IF_IDLE, NOON));

    for (String table : BELONGINGS) {
      assertThat(scene.number("SELECT count(*) FROM {s}." + table)).as(table).isZero();
    }
    assertThat(count(JobState.WAITING)).isZero();
    assertThat(scene.number("SELECT max(jobs) FROM {s}.touched"))
        .isLessThanOrEqualTo(BulkChanges.PART);
  }

  @Test
  void a_queue_that_cannot_be_obliterated_serves_its_groups_still() {
    done(store.saveJob(QUEUE, job("first", grouped("group_7")), NOON));
    done(store.saveJob(QUEUE, job("second", grouped("group_7")), NOON));
    fillBelongings();
    FetchOptions inTurn = FetchOptions.ANY.withGroupConcurrency(2);
    scene.sql("""
        CREATE FUNCTION {s}.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          RAISE EXCEPTION 'no luck';
        END $$;
        CREATE TRIGGER refuse BEFORE DELETE ON {s}.jobs FOR EACH ROW EXECUTE FUNCTION {s}.refuse()
        """);

    cause(store.obliterate(QUEUE, Obliterate.IF_IDLE, NOON));

    assertThat(scene.number("SELECT count(*) FROM {s}.job_groups WHERE group_id <> 'group_7'"))
        .isZero();
    assertThat(done(store.fetchNextJobs(fetching(2, inTurn))))
        .extracting(JobData::name)
        .containsExactly("first", "second");
  }

  private static JobOptions grouped(String group) {
    return JobOptions.builder().group(new JobGroup(group, null)).build();
  }

  private void fillBelongings() {
    scene.sql("""
        INSERT INTO {s}.job_groups (queue, group_id, served, ready)
        SELECT 'orders', 'group_' || i, nextval('{s}.job_places'), i % 2 = 0 FROM generate_series(1, 2500) i;
        INSERT INTO {s}.job_group_marks (queue, number, group_id, priority, place)
        SELECT 'orders', nextval('{s}.job_group_mark_numbers'), 'group_' || i, 0, i FROM generate_series(1, 2500) i;
        INSERT INTO {s}.job_rate_fetches (queue, number, fetched_at, window_millis, jobs)
        SELECT 'orders', -i, timestamptz '2026-03-04 12:00Z', 1000, 1 FROM generate_series(1, 2500) i;
        INSERT INTO {s}.job_metrics (queue, granularity, period_start, name, shard, completed, failed, total_millis)
        SELECT 'orders', 'minute', timestamptz '2026-03-04 12:00Z', 'name_' || i, 0, 1, 0, 1 FROM generate_series(1, 2500) i;
        INSERT INTO {s}.job_schedules (queue, key, name, data, options, repeat, fired, created_at, updated_at)
        SELECT 'orders', 'key_' || i, 'a', '{}', '{}', '{"every":1000}', 0, timestamptz '2026-03-04 12:00Z',
          timestamptz '2026-03-04 12:00Z' FROM generate_series(1, 2500) i
        """);
  }

  /** Made once with trouble after the first part, and again without: together they did it all, each job once. */
  private void assertGoesOn(Supplier<Future<Integer>> change) {
    failed(change);
    long done = scene.number("SELECT coalesce(sum(jobs), 0)::bigint FROM {s}.touched");
    assertThat(done).isPositive().isLessThan(MANY);

    assertThat(done(change.get())).isEqualTo((int) (MANY - done));

    assertInParts(BulkChanges.PART);
  }

  private Throwable failed(Supplier<? extends Future<?>> change) {
    scene.sql("INSERT INTO {s}.trouble VALUES (1000)");
    Throwable failure = cause(change.get());
    scene.sql("DELETE FROM {s}.trouble");
    return failure;
  }

  private void assertInParts(int most) {
    assertThat(scene.number("""
        SELECT coalesce(max(t.jobs), 0)::bigint
        FROM (SELECT sum(jobs) AS jobs FROM {s}.touched GROUP BY transaction) t
        """)).isPositive().isLessThanOrEqualTo(most);
  }

  private long count(JobState state) {
    return done(store.countJobs(QUEUE, state));
  }

  private void fill(String state, String delayUntil, String failedAt) {
    fill(MANY, state, delayUntil, failedAt);
  }

  private void fill(int jobs, String state, String delayUntil, String failedAt) {
    scene.sql("""
        INSERT INTO {s}.jobs (queue, id, place, name, state, priority, attempts_made, started_attempts, stalls,
          progress, pending_children, discarded, repeats, counted, removal, created_at, delay_until, failed_at,
          options, data)
        SELECT 'orders', 'job_' || i, nextval('{s}.job_places'), 'a', '{state}', 0, 0, 0, 0, 0, 0, false, false,
          false, 0, timestamptz '2026-03-04 12:00Z', {delay_until}, {failed_at}, '{}', '{}'
        FROM generate_series(1, {jobs}) i
        """.replace("{state}", state)
        .replace("{jobs}", String.valueOf(jobs))
        .replace("{delay_until}", "(" + delayUntil + ")::timestamptz")
        .replace("{failed_at}", "(" + failedAt + ")::timestamptz"));
  }

  /** 600 flows within the queue, and 600 children whose parents are in another. */
  private void fillFlows() {
    List<FlowNode> nodes = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      addFlow(nodes, QUEUE, "here " + i);
      addFlow(nodes, PARENTS, "there " + i);
    }
    done(store.saveFlow(nodes, NOON));
  }

  private static void addFlow(List<FlowNode> nodes, String queueOfParent, String parent) {
    String child = "child of " + parent;
    nodes.add(new FlowNode(QUEUE, job("child").withId(child).childOf(queueOfParent, parent)));
    nodes.add(new FlowNode(
        queueOfParent, job("parent", JobOptions.NONE).withId(parent).parentOf(List.of(child))));
  }
}
