package dev.runlane.jobs.postgres;

import static dev.runlane.conformance.kit.Outcomes.cause;
import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.jobs.postgres.JobScene.NOON;
import static dev.runlane.jobs.postgres.JobScene.QUEUE;
import static dev.runlane.jobs.postgres.JobScene.fetching;
import static dev.runlane.jobs.postgres.JobScene.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.jobs.store.Obliterate;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What others do to a queue while it is deleted: each time the deletion is held up behind a child that is locked. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgJobObliterateTest {
  private static final String PARENTS = "parents";

  private final JobScene scene = JobScene.open();
  private PgJobStore store;
  private PgJobStore patient;
  private PgConnection holder;

  @BeforeEach
  void holdAChild() {
    store = scene.connected();
    patient = scene.create(scene.options().setLockTimeout(Duration.ofSeconds(60)));
    done(patient.connect());
    saveFlow("first");
    holder = done(scene.connect());
    done(holder.query("BEGIN").execute());
    done(holder
        .query("SELECT 1 FROM " + scene.options().getSchema()
            + ".jobs WHERE id = 'child of first' FOR UPDATE")
        .execute());
  }

  @AfterEach
  void close() {
    done(holder.close());
    scene.close();
  }

  @Test
  void the_parent_of_a_child_that_comes_meanwhile_is_told() {
    Future<List<JobChange>> obliterated = patient.obliterate(QUEUE, Obliterate.IF_IDLE, NOON);
    awaitHeldUp();
    saveFlow("second");

    done(holder.query("COMMIT").execute());

    assertThat(done(obliterated)).extracting(JobChange::jobId).containsExactly("first", "second");
    assertThat(done(store.countJobs(PARENTS, JobState.FAILED))).isEqualTo(2);
    assertThat(done(store.getJobCounts(QUEUE)).values()).containsOnly(0L);
  }

  @Test
  void a_job_that_becomes_active_meanwhile_keeps_the_queue() {
    done(store.saveJob(QUEUE, job("plain").withId("plain"), NOON));
    Future<List<JobChange>> obliterated = patient.obliterate(QUEUE, Obliterate.IF_IDLE, NOON);
    awaitHeldUp();
    done(store.fetchNextJobs(fetching(10, FetchOptions.ANY.named("plain"))));

    done(holder.query("COMMIT").execute());

    assertRefused(obliterated);
    assertThat(done(store.getJob(QUEUE, "plain")).orElseThrow().state()).isEqualTo(JobState.ACTIVE);
  }

  @Test
  void a_child_that_becomes_active_meanwhile_keeps_the_queue() {
    saveFlow("second");
    Future<List<JobChange>> obliterated = patient.obliterate(QUEUE, Obliterate.IF_IDLE, NOON);
    awaitHeldUp();
    done(store.fetchNextJobs(fetching(10, FetchOptions.ANY.named("second"))));

    done(holder.query("COMMIT").execute());

    assertRefused(obliterated);
    assertThat(done(store.countJobs(PARENTS, JobState.WAITING_CHILDREN))).isEqualTo(2);
  }

  private void assertRefused(Future<?> obliterated) {
    assertThat(((RunlaneException) cause(obliterated)).conflictKind())
        .contains(StorageConflictKind.JOB_STATE);
    assertThat(done(store.getJob(QUEUE, "child of first"))).isPresent();
  }

  private void saveFlow(String parent) {
    String child = "child of " + parent;
    done(store.saveFlow(
        List.of(
            new FlowNode(QUEUE, job(parent).withId(child).childOf(PARENTS, parent)),
            new FlowNode(PARENTS, job(parent).withId(parent).parentOf(List.of(child)))),
        NOON));
  }

  /** Returns once a statement of this database waits for somebody's lock. */
  private void awaitHeldUp() {
    JobScene.until(() -> scene.statistic(
            "SELECT count(*) FROM pg_stat_activity"
                + " WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%{s}%'")
        > 0);
  }
}
