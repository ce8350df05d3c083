package dev.runlane.jobs.postgres;

import static dev.runlane.conformance.kit.Outcomes.cause;
import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.jobs.postgres.JobScene.NOON;
import static dev.runlane.jobs.postgres.JobScene.QUEUE;
import static dev.runlane.jobs.postgres.JobScene.fetching;
import static dev.runlane.jobs.postgres.JobScene.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.memory.MemoryJobStore;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.Obliterate;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.PoolOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups are found in their turn by an index, whoever stored, took or removed their jobs. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgJobGroupsTest {
  private static final FetchOptions ONE_EACH = FetchOptions.ANY.withGroupConcurrency(1);
  private static final FetchOptions GROUPED = FetchOptions.ANY.withGroupConcurrency(100);

  private final JobScene scene = JobScene.open();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_fetch_reads_no_more_where_there_are_more_groups() {
    PgJobStore store =
        scene.create(scene.options().setPoolOptions(new PoolOptions().setMaxSize(1)));
    done(store.connect());
    scene.countReadsAtOnce("INSERT ON {s}.job_pauses");

    long few = readBy(store, 200, "few");
    long many = readBy(store, 5_000, "many");

    assertThat(many).isPositive().isLessThan(few + 200);
  }

  private long readBy(PgJobStore store, int groups, String name) {
    scene.sql("""
        INSERT INTO {s}.jobs (queue, id, place, name, state, priority, attempts_made, started_attempts, stalls,
          progress, pending_children, discarded, repeats, counted, removal, created_at, group_id, options, data)
        SELECT 'orders', '{name}_' || i, nextval('{s}.job_places'), 'a', 'waiting', 0, 0, 0, 0, 0, 0, false, false,
          false, 0, timestamptz '2026-03-03 12:00Z', '{name}_' || i % {groups}, '{}', '{}'
        FROM generate_series(1, 3 * {groups}) i
        """.replace("{groups}", String.valueOf(groups)).replace("{name}", name));
    done(store.removeExpiredJobs(QUEUE, NOON, 1)); // takes the marks in
    long before = read(store, name + 1);
    assertThat(done(store.fetchNextJobs(fetching(20, ONE_EACH)))).hasSize(20);
    return read(store, name + 2) - before;
  }

  private long read(PgJobStore store, String pause) {
    done(store.pauseJobName("counted", pause));
    return scene.number("""
        SELECT (SELECT coalesce(sum(seq_tup_read), 0) FROM pg_stat_user_tables
            WHERE schemaname = '{s}' AND relname <> 'job_pauses')
          + (SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes
            WHERE schemaname = '{s}' AND relname <> 'job_pauses')
        """);
  }

  @ParameterizedTest(name = "last first: {0}")
  @ValueSource(booleans = {false, true})
  void a_group_whose_job_somebody_holds_is_passed_over_and_keeps_its_turn(boolean lastFirst) {
    FetchOptions options = lastFirst ? GROUPED.lastFirst() : GROUPED;
    PgJobStore store = scene.connected();
    String held = done(store.saveJob(QUEUE, inGroup("held", "first"), NOON));
    done(store.saveJob(QUEUE, inGroup("next", "second"), NOON));
    done(store.saveJob(QUEUE, inGroup("last", "second"), NOON));
    PgConnection holder = scene.hold(held);

    List<JobData> meanwhile = done(store.fetchNextJobs(fetching(1, options)));
    done(holder.query("COMMIT").execute());
    List<JobData> afterwards = done(store.fetchNextJobs(fetching(1, options)));

    assertThat(meanwhile).extracting(JobData::groupId).containsExactly("second");
    assertThat(afterwards).extracting(JobData::name).containsExactly("held");
    done(holder.close());
  }

  @ParameterizedTest(name = "last first: {0}")
  @ValueSource(booleans = {false, true})
  void however_many_groups_are_held_the_one_behind_them_is_served(boolean lastFirst) {
    FetchOptions options = lastFirst ? GROUPED.lastFirst() : GROUPED;
    PgJobStore store = scene.connected();
    List<NewJob> jobs = new ArrayList<>();
    for (int group = 0; group < 100; group++) {
      jobs.add(inGroup("job_" + group, "group_" + group));
    }
    List<String> ids = done(store.saveBulk(QUEUE, jobs, NOON));
    List<String> held = lastFirst ? ids.subList(1, 100) : ids.subList(0, 99);
    PgConnection holder = scene.hold(held.toArray(String[]::new));

    assertThat(done(store.fetchNextJobs(fetching(1, options)))).hasSize(1);
    assertThat(done(store.fetchNextJobs(fetching(1, options)))).isEmpty();

    done(holder.close());
  }

  @ParameterizedTest(name = "last first: {0}")
  @ValueSource(booleans = {false, true})
  void the_place_of_a_job_that_somebody_holds_is_filled_from_the_other_groups(boolean lastFirst) {
    FetchOptions options = lastFirst ? GROUPED.lastFirst() : GROUPED;
    PgJobStore store = scene.connected();
    String held = done(store.saveJob(QUEUE, inGroup("held", "first"), NOON));
    for (int i = 0; i < 10; i++) {
      done(store.saveJob(QUEUE, inGroup("other", "second"), NOON));
    }
    PgConnection holder = scene.hold(held);

    assertThat(done(store.fetchNextJobs(fetching(5, options)))).hasSize(5);
    assertThat(done(store.fetchNextJobs(fetching(50, options)))).hasSize(5);

    done(holder.close());
  }

  @Test
  void groups_that_have_had_no_job_for_long_are_forgotten_and_no_other() {
    PgJobStore store = scene.connected();
    done(store.saveJob(QUEUE, inGroup("waits", "waits"), NOON));
    scene.sql("""
        INSERT INTO {s}.job_groups (queue, group_id, served, ready)
        SELECT 'orders', 'idle_' || i, 1 + i %% 2, i %% 2 = 0 FROM generate_series(1, 12000) i
        UNION ALL SELECT 'orders', 'waits', 1, false
        UNION ALL SELECT 'orders', '', 1, false
        UNION ALL SELECT 'orders', 'recent', 3, false
        UNION ALL SELECT 'others', 'idle', 1, false;
        SELECT setval('{s}.job_places', 2 + %s)
        """.formatted(JobStore.TURNS_REMEMBERED));

    done(store.removeExpiredJobs(QUEUE, NOON, 1));
    assertThat(groups()).as("a call goes only so far").isGreaterThan(2_000);
    done(store.removeExpiredJobs(QUEUE, NOON, 1));

    assertThat(groups()).isEqualTo(4);
    assertThat(
            scene.number(
                "SELECT count(*) FROM {s}.job_groups WHERE group_id IN ('', 'waits', 'recent', 'idle')"))
        .isEqualTo(4);
    assertThat(done(store.fetchNextJobs(fetching(5, GROUPED))))
        .extracting(JobData::name)
        .containsExactly("waits");
  }

  @Test
  void whether_groups_may_be_forgotten_is_found_out_without_reading_the_jobs_that_wait() {
    PgJobStore store =
        scene.create(scene.options().setPoolOptions(new PoolOptions().setMaxSize(1)));
    done(store.connect());
    scene.countReadsAtOnce("INSERT ON {s}.job_pauses");
    scene.sql("""
        INSERT INTO {s}.jobs (queue, id, place, name, state, priority, attempts_made, started_attempts, stalls,
          progress, pending_children, discarded, repeats, counted, removal, created_at, group_id, options, data)
        SELECT 'orders', 'job_' || i, nextval('{s}.job_places'), 'a', 'waiting', 0, 0, 0, 0, 0, 0, false, false,
          false, 0, timestamptz '2026-03-04 12:00Z', 'busy_' || i, '{}', '{}'
        FROM generate_series(1, 20000) i;
        TRUNCATE {s}.job_group_marks;
        INSERT INTO {s}.job_groups (queue, group_id, served, ready)
        SELECT 'orders', 'idle_' || i, 1, false FROM generate_series(1, 1000) i;
        SELECT setval('{s}.job_places', 20001 + %s);
        ANALYZE {s}.jobs;
        ANALYZE {s}.job_groups;
        SELECT pg_stat_force_next_flush()
        """.formatted(JobStore.TURNS_REMEMBERED));
    long before = read(store, "before");

    done(store.removeExpiredJobs(QUEUE, NOON, 1));

    assertThat(groups()).isZero();
    assertThat(read(store, "after") - before).isPositive().isLessThan(10_000);
  }

  @Test
  void groups_are_looked_at_when_no_expired_jobs_are_left() {
    PgJobStore store = scene.connected();
    done(store.saveBulk(QUEUE, JobScene.jobs(2), NOON));
    scene.sql("""
        UPDATE {s}.jobs SET remove_at = timestamptz '2026-03-04 12:00Z';
        INSERT INTO {s}.job_groups (queue, group_id, served, ready) VALUES ('orders', 'idle', 1, false);
        SELECT setval('{s}.job_places', 2 + %s)
        """.formatted(JobStore.TURNS_REMEMBERED));

    assertThat(done(store.removeExpiredJobs(QUEUE, NOON, 1))).isEqualTo(1);
    assertThat(done(store.removeExpiredJobs(QUEUE, NOON, 1))).isEqualTo(1);
    assertThat(groups()).as("there may be more").isEqualTo(1);
    assertThat(done(store.removeExpiredJobs(QUEUE, NOON, 1))).isZero();

    assertThat(groups()).isZero();
  }

  private long groups() {
    return scene.number("SELECT count(*) FROM {s}.job_groups");
  }

  @Test
  void a_group_that_was_forgotten_is_served_again_when_it_gets_a_job_meanwhile_or_later() {
    PgJobStore store = scene.connected();
    done(store.saveJob(QUEUE, inGroup("first", "a"), NOON));
    assertThat(done(store.fetchNextJobs(fetching(1, GROUPED)))).hasSize(1);
    scene.sql("SELECT setval('{s}.job_places', 10 + %s)".formatted(JobStore.TURNS_REMEMBERED));
    PgConnection adder = done(scene.connect());
    done(adder.query("BEGIN").execute());
    done(store.on(adder).saveJob(QUEUE, inGroup("second", "a"), NOON));

    done(store.removeExpiredJobs(QUEUE, NOON, 1));
    assertThat(groups()).isZero();
    done(adder.query("COMMIT").execute());
    done(adder.close());

    assertThat(done(store.fetchNextJobs(fetching(5, GROUPED))))
        .extracting(JobData::name)
        .containsExactly("second");
  }

  @Test
  void groups_whose_jobs_have_gone_hide_none_that_has_some() {
    PgJobStore store = scene.connected();
    List<NewJob> jobs = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      jobs.add(inGroup("gone", "gone " + i).withId("gone " + i));
    }
    done(store.saveBulk(QUEUE, jobs, NOON));
    done(store.removeExpiredJobs(QUEUE, NOON, 1));
    scene.sql("DELETE FROM {s}.jobs");
    done(store.saveJob(QUEUE, inGroup("last", "last"), NOON));

    assertThat(done(store.fetchNextJobs(fetching(5, GROUPED))))
        .extracting(JobData::name)
        .containsExactly("last");
    assertThat(scene.number("SELECT count(*) FROM {s}.job_groups WHERE ready")).isLessThan(2_000);
  }

  @Test
  void what_was_handed_out_is_answered_though_the_look_for_more_fails() {
    PgJobStore store = scene.connected();
    scene.sql("""
        INSERT INTO {s}.jobs (queue, id, place, name, state, priority, attempts_made, started_attempts, stalls,
          progress, pending_children, discarded, repeats, counted, removal, created_at, group_id, options, data)
        SELECT 'orders', 'large_' || i, nextval('{s}.job_places'), 'first', 'waiting', 0, 0, 0, 0, 0, 0, false, false,
          false, 0, timestamptz '2026-03-03 12:00Z', 'large', '{}', '{}'
        FROM generate_series(1, 10000) i
        """); // as many marks as one fetch takes in
    done(store.saveJob(QUEUE, inGroup("second", "small"), NOON));
    scene.sql("""
        CREATE FUNCTION {s}.refuse_second() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF EXISTS (SELECT FROM {s}.jobs WHERE state = 'active') THEN
            RAISE EXCEPTION 'no job any more';
          END IF;
          RETURN NULL;
        END $$;
        CREATE TRIGGER refuse_second BEFORE UPDATE ON {s}.jobs
          FOR EACH STATEMENT EXECUTE FUNCTION {s}.refuse_second()
        """);

    List<JobData> handedOut = done(store.fetchNextJobs(fetching(5, ONE_EACH)));

    assertThat(handedOut).extracting(JobData::name).containsExactly("first");
    assertThat(cause(store.fetchNextJobs(fetching(5, ONE_EACH))))
        .as("by now no fetch succeeds")
        .isNotNull();
  }

  @Test
  void jobs_that_waited_before_the_groups_were_listed_are_found() {
    PgJobStore store = scene.connected();
    scene.sql("""
        DELETE FROM {s}.schema_migrations WHERE module = 'job-queue' AND version > 1;
        DROP TRIGGER jobs_mark_added ON {s}.jobs;
        DROP TRIGGER jobs_mark_waiting ON {s}.jobs;
        DROP FUNCTION {s}.mark_job_group();
        DROP TABLE {s}.job_group_marks;
        DROP SEQUENCE {s}.job_group_mark_numbers;
        DROP INDEX {s}.job_groups_turn;
        DROP TABLE {s}.job_webhooks, {s}.job_webhook_deliveries;
        DROP FUNCTION {s}.watch_job_ends, {s}.record_job_end, {s}.record_gone_job_end, {s}.job_webhooks_of;
        ALTER TABLE {s}.job_groups DROP COLUMN ready, DROP COLUMN priority, DROP COLUMN place
        """);
    done(store.saveBulk(
        QUEUE,
        List.of(
            inGroup("b1", "b"),
            inGroup("a1", "a"),
            inGroup("a2", "a"),
            job("u1"),
            inGroup("c1", "c")),
        NOON));
    scene.sql("INSERT INTO {s}.job_groups VALUES ('orders', 'b', 1)");

    PgJobStore migrated = scene.connected();

    assertThat(done(migrated.fetchNextJobs(fetching(10, ONE_EACH))))
        .extracting(JobData::name)
        .containsExactly("a1", "u1", "c1", "b1");
  }

  @Test
  void an_addition_that_is_committed_late_is_found() {
    PgJobStore store = scene.connected();
    PgConnection connection = done(scene.connect());
    done(connection.query("BEGIN").execute());
    done(store.on(connection).saveJob(QUEUE, inGroup("late", "a"), NOON));
    done(store.saveJob(QUEUE, inGroup("soon", "a"), NOON));
    assertThat(done(store.fetchNextJobs(fetching(10, GROUPED)))).hasSize(1);
    assertThat(done(store.fetchNextJobs(fetching(10, GROUPED)))).isEmpty();
    assertThat(scene.number("SELECT count(*) FROM {s}.job_groups WHERE ready")).isZero();

    done(connection.query("COMMIT").execute());
    done(connection.close());

    assertThat(done(store.fetchNextJobs(fetching(10, GROUPED))))
        .extracting(JobData::name)
        .containsExactly("late");
  }

  @Test
  void an_addition_that_is_committed_after_younger_ones_were_fetched_is_found() {
    PgJobStore store = scene.connected();
    PgConnection connection = done(scene.connect());
    done(connection.query("BEGIN").execute());
    done(store.on(connection).saveJob(QUEUE, inGroup("late", "a"), NOON));
    done(store.saveBulk(QUEUE, List.of(inGroup("first", "b"), inGroup("second", "c")), NOON));
    assertThat(done(store.fetchNextJobs(fetching(1, ONE_EACH)))).hasSize(1);
    assertThat(done(store.fetchNextJobs(fetching(1, ONE_EACH)))).hasSize(1);
    done(connection.query("COMMIT").execute());
    done(connection.close());

    assertThat(done(store.fetchNextJobs(fetching(1, ONE_EACH))))
        .extracting(JobData::name)
        .containsExactly("late");
  }

  @Test
  void a_role_without_rights_on_the_marks_leaves_them_like_any_other() {
    PgJobStore store = scene.connected();
    String role = "before_"
        + scene.options().getSchema(); // what it is granted is what the first migration made
    scene.sql("""
        CREATE ROLE {role} LOGIN PASSWORD 'secret';
        GRANT USAGE ON SCHEMA {s} TO {role};
        GRANT SELECT, INSERT, UPDATE ON {s}.jobs TO {role};
        GRANT USAGE ON SEQUENCE {s}.job_places TO {role}
        """.replace("{role}", role));
    try {
      PgConnection before = done(PgConnection.connect(
          scene.vertx(), scene.options().getConnectOptions().setUser(role).setPassword("secret")));
      addByHand(before, "added", "waiting");
      addByHand(before, "promoted", "delayed");
      done(before
          .query("UPDATE " + scene.options().getSchema()
              + ".jobs SET state = 'waiting' WHERE id = 'promoted'")
          .execute());
      done(before.close());

      assertThat(done(store.fetchNextJobs(fetching(10, ONE_EACH))))
          .extracting(JobData::id)
          .containsExactlyInAnyOrder("added", "promoted");
    } finally {
      scene.sql("DROP OWNED BY " + role + "; DROP ROLE " + role);
    }
  }

  /** As the release before does it: a job of a group of its own, and no word of a mark. */
  private void addByHand(PgConnection connection, String id, String state) {
    done(connection
        .query("""
            INSERT INTO {s}.jobs (queue, id, place, name, state, priority, attempts_made, started_attempts, stalls,
              progress, pending_children, discarded, repeats, counted, removal, created_at, group_id, options, data)
            VALUES ('orders', '{id}', nextval('{s}.job_places'), 'a', '{state}', 0, 0, 0, 0, 0, 0, false, false,
              false, 0, timestamptz '2026-03-03 12:00Z', 'group of {id}', '{}', '{}')
            """.replace("{s}", scene.options().getSchema())
            .replace("{id}", id)
            .replace("{state}", state))
        .execute());
  }

  @Test
  void a_queue_that_is_obliterated_leaves_no_marks_and_no_groups() {
    PgJobStore store = scene.connected();
    done(store.saveBulk(QUEUE, List.of(inGroup("served", "a"), inGroup("waits", "b")), NOON));
    done(store.saveJob("others", inGroup("stays", "a"), NOON));
    done(store.fetchNextJobs(fetching(1, ONE_EACH))); // lists the groups
    done(store.saveJob(QUEUE, inGroup("comes", "c"), NOON));
    assertThat(left("job_group_marks")).isPositive();
    assertThat(left("job_groups")).isPositive();

    done(store.obliterate(QUEUE, Obliterate.FORCED, NOON));

    assertThat(left("job_group_marks")).isZero();
    assertThat(left("job_groups")).isZero();
    assertThat(scene.number("SELECT count(*) FROM {s}.job_group_marks WHERE queue = 'others'"))
        .isEqualTo(1);
  }

  private long left(String table) {
    return scene.number("SELECT count(*) FROM {s}." + table + " WHERE queue = 'orders'");
  }

  /** Whatever is done to jobs, by whomever, both stores hand out the same in the same order. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void both_stores_serve_groups_alike(long seed) {
    PgJobStore store = scene.connected();
    MemoryJobStore memory = new MemoryJobStore();
    Random random = new Random(seed);
    List<String> ids = new ArrayList<>();
    for (int step = 0; step < 250; step++) {
      int kind = random.nextInt(20);
      String id = ids.isEmpty() ? "none" : ids.get(random.nextInt(ids.size()));
      if (kind < 9) {
        String group = String.valueOf((char) ('a' + random.nextInt(8)));
        JobOptions options = JobOptions.builder()
            .group(random.nextInt(6) == 0 ? null : JobGroup.of(group))
            .priority(random.nextInt(3))
            .lifo(random.nextInt(4) == 0)
            .delay(random.nextInt(8) == 0 ? Duration.ofSeconds(1) : null)
            .build();
        String fresh = "job " + step;
        String name = "n" + step % 2;
        ids.add(fresh);
        each(store, memory, to -> to.saveJob(QUEUE, job(name, options).withId(fresh), NOON));
      } else if (kind < 11) {
        each(store, memory, to -> to.removeJob(QUEUE, id, NOON));
      } else if (kind == 11) {
        each(store, memory, to -> to.promoteJobs(QUEUE));
      } else if (kind == 12) {
        boolean pause = random.nextBoolean();
        each(
            store,
            memory,
            to -> pause ? to.pauseJobName(QUEUE, "n0") : to.resumeJobName(QUEUE, "n0"));
      } else if (kind == 13) {
        each(store, memory, to -> to.retryJobs(QUEUE, JobState.FAILED));
      } else {
        FetchOptions options = random.nextInt(5) == 0
            ? FetchOptions.ANY
            : FetchOptions.ANY
                .withGroupConcurrency(1 + random.nextInt(2))
                .without(random.nextInt(4) == 0 ? Set.of("a", "b") : Set.of())
                .named(random.nextInt(6) == 0 ? "n1" : null);
        FetchJobs fetch = fetching(1 + random.nextInt(5), options);
        boolean ends = random.nextInt(3) > 0;
        each(store, memory, to -> to.fetchNextJobs(fetch).compose(fetched -> {
          List<String> names = fetched.stream().map(JobData::id).toList();
          return !ends
              ? Future.succeededFuture(names)
              : to.finishJobs(fetched.stream()
                      .map(each -> FinishJob.of(
                          each.lock(),
                          each.id().hashCode() % 3 == 0
                              ? new JobOutcome.Retry(NOON, "again", null)
                              : new JobOutcome.Failed("no luck", null),
                          NOON))
                      .toList())
                  .map(names);
        }));
      }
    }
    each(store, memory, to -> to.getJobCounts(QUEUE));
    each(store, memory, to -> to.obliterate(QUEUE, Obliterate.FORCED, NOON));
  }

  private static <T> void each(
      JobStore store, JobStore memory, Function<JobStore, Future<T>> command) {
    Object expected = done(command.apply(memory));
    assertThat((Object) done(command.apply(store))).isEqualTo(expected);
  }

  private static NewJob inGroup(String name, String group) {
    return job(name, JobOptions.builder().group(JobGroup.of(group)).build());
  }
}
