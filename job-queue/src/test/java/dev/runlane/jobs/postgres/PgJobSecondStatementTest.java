package dev.runlane.jobs.postgres;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.conformance.kit.Outcomes.failure;
import static dev.runlane.jobs.postgres.JobScene.NOON;
import static dev.runlane.jobs.postgres.JobScene.QUEUE;
import static dev.runlane.jobs.postgres.JobScene.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.NewJob;
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
}
