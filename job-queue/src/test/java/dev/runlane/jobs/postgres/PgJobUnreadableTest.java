package dev.runlane.jobs.postgres;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.conformance.kit.Outcomes.failure;
import static dev.runlane.jobs.postgres.JobScene.NOON;
import static dev.runlane.jobs.postgres.JobScene.QUEUE;
import static dev.runlane.jobs.postgres.JobScene.completing;
import static dev.runlane.jobs.postgres.JobScene.fetching;
import static dev.runlane.jobs.postgres.JobScene.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishAndFetch;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.FinishedAndFetched;
import dev.runlane.jobs.store.SearchJobsFilter;
import dev.runlane.jobs.store.UpsertSchedule;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Rows that this release cannot read, as of a later one. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgJobUnreadableTest {
  private static final Instant MUCH_LATER = NOON.plus(Duration.ofHours(1));

  private final JobScene scene = JobScene.open();
  private PgJobStore store;

  @BeforeEach
  void connect() {
    store = scene.connected();
  }

  @AfterEach
  void close() {
    scene.close();
  }

  private void saveOneUnreadable() {
    done(store.saveJobs(QUEUE, List.of(job("x").withId("foreign"), job("x").withId("own")), NOON));
    scene.sql("UPDATE {s}.jobs SET options = '{\"attempts\":\"many\"}' WHERE id = 'foreign'");
  }

  @Test
  void every_way_of_fetching_hands_out_the_others_and_puts_the_unreadable_one_off() {
    for (FetchOptions options : List.of(
        FetchOptions.ANY,
        FetchOptions.ANY.lastFirst(),
        FetchOptions.ANY.withGlobalConcurrency(5),
        FetchOptions.ANY.withGroupConcurrency(1),
        FetchOptions.ANY.withGroupConcurrency(1).lastFirst())) {
      saveOneUnreadable();

      List<JobData> fetched = done(store.fetchNextJobs(fetching(2, options)));

      assertThat(fetched).as("%s", options).extracting(JobData::id).containsExactly("own");
      assertForeignIsPutOff();
      scene.sql("DELETE FROM {s}.jobs");
    }
  }

  @Test
  void an_end_hands_out_the_others_and_puts_the_unreadable_one_off() {
    done(store.saveJobs(QUEUE, List.of(job("x").withId("first")), NOON));
    List<JobData> running = done(store.fetchNextJobs(fetching(1, FetchOptions.ANY)));
    saveOneUnreadable();

    FinishedAndFetched both = done(store.finishAndFetch(
        new FinishAndFetch(List.of(completing(running.get(0))), fetching(2, FetchOptions.ANY))));

    assertThat(both.results()).hasSize(1);
    assertThat(both.fetched()).extracting(JobData::id).containsExactly("own");
    assertForeignIsPutOff();
  }

  private void assertForeignIsPutOff() {
    assertThat(scene.number("""
        SELECT count(*) FROM {s}.jobs WHERE id = 'foreign' AND state = 'delayed' AND started_attempts = 0
          AND delay_until = '%s' AND processed_at IS NULL AND lock_token IS NULL AND lock_until IS NULL AND locked_by IS NULL
        """.formatted(NOON.plus(Duration.ofMinutes(1))))).isEqualTo(1);
  }

  /** Sent at once: all but the first share a transaction. */
  @Test
  void ends_of_others_are_stored_beside_that_of_one_that_cannot_be_read() {
    done(store.saveJobs(QUEUE, JobScene.jobs(8), NOON));
    List<JobData> running = done(store.fetchNextJobs(fetching(8, FetchOptions.ANY)));
    String foreign = running.get(4).id();
    scene.sql(
        "UPDATE {s}.jobs SET options = '{\"attempts\":\"many\"}' WHERE id = '" + foreign + "'");

    List<Future<FinishResult>> ends = running.stream()
        .map(job -> store.finishJob(
            FinishJob.of(job.lock(), new JobOutcome.Failed("no luck", null), NOON.plusSeconds(1))))
        .toList();
    done(Future.join(ends).otherwiseEmpty());

    assertThat(ends).filteredOn(Future::failed).containsExactly(ends.get(4));
    assertThat(scene.number("SELECT count(*) FROM {s}.jobs WHERE state = 'failed'"))
        .isEqualTo(7);
  }

  @Test
  void lists_leave_the_unreadable_one_out() {
    saveOneUnreadable();

    assertThat(done(store.listJobs(QUEUE, JobState.WAITING, 0, 10)))
        .extracting(JobData::id)
        .containsExactly("own");
    SearchJobsFilter ofQueue = new SearchJobsFilter(QUEUE, List.of(), null, null, null);
    assertThat(done(store.searchJobs(ofQueue, 0, 10)).total()).isEqualTo(2);
    assertThat(done(store.searchJobs(ofQueue, 0, 10)).jobs())
        .extracting(JobData::id)
        .containsExactly("own");
  }

  @Test
  void what_is_asked_of_the_unreadable_one_alone_fails_with_one_code_that_names_it() {
    saveOneUnreadable();
    scene.sql("UPDATE {s}.jobs SET deduplication_slot = 'key' WHERE id = 'foreign'");

    assertIsNamed(failure(store.getJob(QUEUE, "foreign")));
    assertIsNamed(failure(store.findJobById("foreign")));
    assertIsNamed(failure(store.listAttempts(QUEUE, "foreign")));
    assertIsNamed(failure(store.findByDeduplicationKey(QUEUE, "key", NOON)));
    assertIsNamed(failure(store.removeJob(QUEUE, "foreign", NOON)));
    assertThat(done(store.getJob(QUEUE, "own"))).isPresent();
  }

  @Test
  void a_history_that_cannot_be_read_fails_with_the_same_code() {
    done(store.saveJobs(QUEUE, List.of(job("x").withId("foreign")), NOON));
    scene.sql("INSERT INTO {s}.job_entries (queue, job_id, kind, number, attempt, body)"
        + " VALUES ('orders', 'foreign', 2, 1, 1, '{}')");

    assertIsNamed(failure(store.getJob(QUEUE, "foreign")));
  }

  private static void assertIsNamed(RunlaneException failure) {
    assertThat(failure.code()).isEqualTo(ErrorCode.INVARIANT_VIOLATION);
    assertThat(failure.isRetryable()).isFalse();
    assertThat(failure.meta()).containsEntry("jobId", "foreign").containsEntry("queueName", QUEUE);
  }

  @Test
  void children_are_listed_without_the_unreadable_one() {
    done(store.saveFlow(
        List.of(
            new FlowNode(QUEUE, job("x").withId("foreign").childOf(QUEUE, "parent")),
            new FlowNode(QUEUE, job("x").withId("own").childOf(QUEUE, "parent")),
            new FlowNode(QUEUE, job("x").withId("parent").parentOf(List.of("foreign", "own")))),
        NOON));
    scene.sql("UPDATE {s}.jobs SET options = '{\"attempts\":\"many\"}' WHERE id = 'foreign'");

    assertThat(done(store.getChildrenJobs(QUEUE, "parent")))
        .extracting(JobData::id)
        .containsExactly("own");
    assertThat(done(store.listFlowParents(Optional.empty(), 10)))
        .extracting(JobData::id)
        .containsExactly("parent");
  }

  @Test
  void a_redrive_leaves_dead_letters_that_cannot_be_read_and_takes_all_behind_them() {
    scene.sql("""
        INSERT INTO {s}.jobs (queue, id, place, name, state, priority, attempts_made, started_attempts, stalls,
          progress, pending_children, discarded, repeats, counted, removal, created_at, options, data, dead_letter)
        SELECT 'dead', 'letter_' || i, nextval('{s}.job_places'), 'a', 'waiting', 0, 0, 0, 0, 0, 0, false, false,
          false, 0, timestamptz '2026-03-04 12:00Z', '{}', '{}', CASE WHEN i > 1200 THEN
            '{"queueName":"orders","jobId":"j","reason":"r","failedAt":"2026-03-04T12:00:00.000Z","opts":{}}'
            ELSE '{}' END
        FROM generate_series(1, 1210) i
        """);

    assertThat(done(store.redriveDeadLetters("dead", 4, NOON))).hasSize(4);
    assertThat(done(store.redriveDeadLetters("dead", 2_000, NOON))).hasSize(6);
    assertThat(done(store.redriveDeadLetters("dead", 2_000, NOON))).isEmpty();

    assertThat(done(store.countJobs(QUEUE, JobState.WAITING))).isEqualTo(10);
    assertThat(done(store.countJobs("dead", JobState.WAITING))).isEqualTo(1_200);
  }

  @Test
  void a_redrive_leaves_the_dead_letter_whose_key_is_held_by_a_job_that_cannot_be_read() {
    scene.sql("""
        INSERT INTO {s}.jobs (queue, id, place, name, state, priority, attempts_made, started_attempts, stalls,
          progress, pending_children, discarded, repeats, counted, removal, created_at, options, data, dead_letter)
        SELECT 'dead', 'letter_' || i, nextval('{s}.job_places'), 'a', 'waiting', 0, 0, 0, 0, 0, 0, false, false,
          false, 0, timestamptz '2026-03-04 12:00Z', '{}', '{}',
          '{"queueName":"orders","jobId":"j","reason":"r","failedAt":"2026-03-04T12:00:00.000Z","opts":'
            || CASE WHEN i IN (3, 8) THEN '{"deduplication":{"key":"key"}}' ELSE '{}' END || '}'
        FROM generate_series(1, 10) i
        """);
    JobOptions keyed =
        JobOptions.builder().deduplication(JobDeduplication.byKey("key")).build();
    done(store.saveJobs(QUEUE, List.of(job("x", keyed).withId("foreign")), NOON));
    scene.sql("UPDATE {s}.jobs SET options = '{\"attempts\":\"many\"}' WHERE id = 'foreign'");

    assertThat(done(store.redriveDeadLetters("dead", 4, NOON))).hasSize(4);
    assertThat(done(store.redriveDeadLetters("dead", 100, NOON))).hasSize(4);
    assertThat(done(store.redriveDeadLetters("dead", 100, NOON))).isEmpty();

    assertThat(done(store.listJobs("dead", JobState.WAITING, 0, 10)))
        .extracting(JobData::id)
        .containsExactlyInAnyOrder("letter_3", "letter_8");
  }

  @Test
  void a_lost_job_that_cannot_be_read_hides_no_other_lost_job() {
    done(store.saveJobs(QUEUE, List.of(job("x").withId("foreign"), job("x").withId("own")), NOON));
    done(store.fetchNextJobs(fetching(2, FetchOptions.ANY)));
    scene.sql("UPDATE {s}.jobs SET options = '{\"attempts\":\"many\"}' WHERE id = 'foreign'");

    assertThat(done(store.getStalledJobs(QUEUE, MUCH_LATER, 10)))
        .extracting(JobData::id)
        .containsExactly("own");
  }

  @Test
  void a_schedule_that_cannot_be_read_keeps_no_other_from_firing() {
    for (String key : List.of("foreign", "own")) {
      done(store.upsertSchedule(new UpsertSchedule(
          QUEUE,
          key,
          "x",
          Json.ofChecked("1"),
          JobOptions.NONE,
          JobRepeat.every(Duration.ofMinutes(1)),
          NOON,
          NOON)));
    }
    scene.sql("UPDATE {s}.job_schedules SET repeat = '{\"every\":{}}' WHERE key = 'foreign'");

    assertThat(done(store.listDueSchedules(QUEUE, MUCH_LATER, 10)))
        .extracting(JobSchedule::key)
        .containsExactly("own");
    assertThat(done(store.listSchedules(QUEUE)))
        .extracting(JobSchedule::key)
        .containsExactly("own");
  }

  @Test
  void what_a_later_release_says_of_a_job_stays_when_this_one_writes_the_job_again() {
    JobOptions twice = JobOptions.builder().attempts(2).priority(1).build();
    done(store.saveJobs(QUEUE, List.of(job("x", twice).withId("j")), NOON));
    scene.sql(
        "UPDATE {s}.jobs SET options = '{\"attempts\":2,\"priority\":1,\"patience\":{\"days\":3}}'");
    JobData running = done(store.fetchNextJobs(fetching(1, FetchOptions.ANY))).get(0);

    done(store.finishJob(
        FinishJob.of(running.lock(), new JobOutcome.Failed("no luck", null), NOON.plusSeconds(1))));

    assertThat(
            scene.number("SELECT count(*) FROM {s}.jobs WHERE state = 'failed' AND options::jsonb"
                + " = '{\"attempts\":2,\"priority\":1,\"patience\":{\"days\":3}}'"))
        .isEqualTo(1);

    done(store.updateJob(
        QUEUE, "j", JobUpdate.NONE.options(JobOptions.builder().priority(7).build())));

    assertThat(scene.number("SELECT count(*) FROM {s}.jobs WHERE options::jsonb"
            + " = '{\"priority\":7,\"patience\":{\"days\":3}}'"))
        .isEqualTo(1);
  }
}
