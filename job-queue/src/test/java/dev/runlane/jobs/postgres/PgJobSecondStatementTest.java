package dev.runlane.jobs.postgres;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.conformance.kit.Outcomes.failure;
import static dev.runlane.jobs.postgres.JobScene.NOON;
import static dev.runlane.jobs.postgres.JobScene.QUEUE;
import static dev.runlane.jobs.postgres.JobScene.completing;
import static dev.runlane.jobs.postgres.JobScene.fetching;
import static dev.runlane.jobs.postgres.JobScene.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishAndFetch;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.FinishedAndFetched;
import dev.runlane.jobs.store.SavedJob;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What callers are answered of a first statement that was carried out where the second one fails. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgJobSecondStatementTest {
  private final JobScene scene = JobScene.open();
  private PgJobStore store;

  @BeforeEach
  void connect() {
    store = scene.create(scene.options().setStatementSlots(1));
    done(store.connect());
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_job_stays_stored_once_where_the_look_at_another_of_its_statement_fails() {
    done(store.saveJobs(QUEUE, List.of(job("old").withId("there")), NOON));
    refuseToRead("there");
    // the slot is the first one's when the others come, which go together then
    Promise<List<Future<List<SavedJob>>>> sent = Promise.promise();
    scene
        .vertx()
        .runOnContext(turn -> sent.complete(List.of(
            store.saveJobs(QUEUE, List.of(job("first")), NOON),
            store.saveJobs(QUEUE, List.of(job("fresh"), job("fresh")), NOON),
            store.saveJobs(QUEUE, List.of(job("again").withId("there")), NOON),
            store.saveJobs(QUEUE, List.of(job("named").withId("new")), NOON))));

    List<Future<List<SavedJob>>> saves = done(sent.future());

    for (int i : List.of(0, 1, 3)) {
      assertThat(done(saves.get(i)))
          .extracting(SavedJob::outcome)
          .containsOnly(SavedJob.Outcome.STORED);
    }
    failure(saves.get(2));
    assertThat(scene.number("SELECT count(*) FROM {s}.kept_jobs WHERE name = 'fresh'"))
        .isEqualTo(2);
  }

  @Test
  void a_call_that_fails_at_the_look_at_one_job_stores_none_without_an_id() {
    done(store.saveJobs(QUEUE, List.of(job("old").withId("there")), NOON));
    refuseToRead("there");

    for (int others : List.of(1, 100)) {
      List<NewJob> jobs = IntStream.rangeClosed(0, others)
          .mapToObj(i -> i == 0 ? job("again").withId("there") : job("fresh"))
          .toList();

      failure(store.saveJobs(QUEUE, jobs, NOON));
    }

    assertThat(scene.number("SELECT count(*) FROM {s}.kept_jobs")).isEqualTo(1);
  }

  /** Rows can be written, also this one, but a statement that reads it fails. */
  private void refuseToRead(String id) {
    scene.sql("""
        CREATE FUNCTION {s}.readable(id text) RETURNS boolean LANGUAGE plpgsql AS $$
        BEGIN
          IF id = '%s' THEN
            RAISE EXCEPTION 'not this one';
          END IF;
          RETURN true;
        END $$;
        ALTER TABLE {s}.jobs RENAME TO kept_jobs;
        CREATE VIEW {s}.jobs AS SELECT * FROM {s}.kept_jobs WHERE {s}.readable(id)
        """.formatted(id));
  }

  @Test
  void jobs_that_were_handed_out_arrive_where_the_look_for_more_fails() {
    NewJob cancelled = job("x", inGroup()).withId("cancelled");
    done(store.saveJobs(QUEUE, List.of(cancelled, job("x", inGroup()).withId("next")), NOON));
    FetchOptions inTurn = FetchOptions.ANY.withGroupConcurrency(1);
    List<JobData> running = done(store.fetchNextJobs(fetching(1, inTurn)));
    done(store.cancelJob(QUEUE, "cancelled", NOON));
    done(store.saveJobs(QUEUE, List.of(job("x").withId("free")), NOON));
    refuseToChange("NEW.id = 'next'");

    FinishedAndFetched both = done(store.finishAndFetch(
        new FinishAndFetch(List.of(completing(running.get(0))), fetching(2, inTurn))));

    assertThat(both.results()).singleElement().isInstanceOf(FinishResult.Finished.class);
    assertThat(both.fetched()).extracting(JobData::id).containsExactly("free");
  }

  @Test
  void ends_that_are_stored_are_told_where_the_fetch_behind_them_fails() {
    done(store.saveJobs(QUEUE, List.of(job("x").withId("first")), NOON));
    List<JobData> running = done(store.fetchNextJobs(fetching(1, FetchOptions.ANY)));
    done(store.saveJobs(QUEUE, List.of(job("x").withId("next")), NOON));
    refuseToChange("NEW.id = 'next'");
    FinishJob failed = FinishJob.of(running.get(0).lock(), new JobOutcome.Failed("no", null), NOON);

    FinishedAndFetched both = done(
        store.finishAndFetch(new FinishAndFetch(List.of(failed), fetching(1, FetchOptions.ANY))));

    assertThat(both.results()).singleElement().isInstanceOf(FinishResult.Finished.class);
    assertThat(both.fetched()).isEmpty();
    failure(store.finishAndFetch(new FinishAndFetch(List.of(), fetching(1, FetchOptions.ANY))));
  }

  @Test
  void jobs_that_were_handed_out_wait_again_where_a_later_end_fails() {
    done(store.saveJobs(QUEUE, List.of(job("x").withId("cancelled")), NOON));
    List<JobData> running = done(store.fetchNextJobs(fetching(1, FetchOptions.ANY)));
    done(store.cancelJob(QUEUE, "cancelled", NOON));
    done(store.saveJobs(QUEUE, List.of(job("x").withId("free")), NOON));
    refuseToChange("NEW.id = 'cancelled'");

    failure(store.finishAndFetch(
        new FinishAndFetch(List.of(completing(running.get(0))), fetching(1, FetchOptions.ANY))));

    JobData free = done(store.getJob(QUEUE, "free")).orElseThrow();
    assertThat(free.state()).isEqualTo(JobState.WAITING);
    assertThat(free.startedAttempts()).isZero();
    assertThat(free.lockToken()).isNull();
    assertThat(done(store.fetchNextJobs(fetching(2, FetchOptions.ANY))))
        .extracting(JobData::id)
        .containsExactly("free");
  }

  private void refuseToChange(String rows) {
    scene.sql("""
        CREATE FUNCTION {s}.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          RAISE EXCEPTION 'not this one';
        END $$;
        CREATE TRIGGER refuse BEFORE UPDATE ON {s}.jobs
          FOR EACH ROW WHEN (%s) EXECUTE FUNCTION {s}.refuse()
        """.formatted(rows));
  }

  private static JobOptions inGroup() {
    return JobOptions.builder().group(JobGroup.of("group")).build();
  }
}
