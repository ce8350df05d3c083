package dev.runlane.jobs.postgres;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.jobs.postgres.JobScene.LOCK;
import static dev.runlane.jobs.postgres.JobScene.NOON;
import static dev.runlane.jobs.postgres.JobScene.QUEUE;
import static dev.runlane.jobs.postgres.JobScene.fetching;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.LockStatus;
import io.vertx.pgclient.PgConnection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Locks of jobs of which somebody holds rows, for as long as he likes: a transaction of a caller, or an operator. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgJobHeldRowTest {
  private static final Instant LATER = NOON.plusSeconds(5);

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

  @Test
  void a_row_that_somebody_holds_keeps_no_other_lock_from_being_extended() {
    List<JobData> running = running(200);
    PgConnection holder = hold(running.get(0), running.get(1));
    List<JobLock> locks = new ArrayList<>(running.stream().map(JobData::lock).toList());
    locks.add(new JobLock(QUEUE, "nobody", "token"));

    List<LockStatus> statuses = done(store.extendLocks(locks, LOCK, LATER));

    assertThat(statuses.subList(0, 200)).containsOnly(LockStatus.HELD);
    assertThat(statuses.get(200)).isEqualTo(LockStatus.LOST);
    assertThat(extended()).isEqualTo(198);
    done(holder.query("COMMIT").execute());
    assertThat(done(store.extendLocks(locks, LOCK, LATER))).isEqualTo(statuses);
    assertThat(extended()).isEqualTo(200);
    done(holder.close());
  }

  @Test
  void the_lock_of_a_held_row_is_answered_as_it_is() {
    List<JobData> running = running(2);
    done(store.cancelJob(QUEUE, running.get(0).id(), NOON));
    PgConnection holder = hold(running.get(0), running.get(1));
    JobLock forged = new JobLock(QUEUE, running.get(1).id(), "token");

    assertThat(done(store.extendLocks(List.of(running.get(0).lock(), forged), LOCK, LATER)))
        .containsExactly(LockStatus.HELD_CANCELLED, LockStatus.LOST);

    done(holder.close());
  }

  @Test
  void a_lock_that_runs_out_while_its_row_is_held_is_lost_and_no_other() {
    List<JobData> running = running(3);
    PgConnection holder = hold(running.get(0), running.get(1));
    List<JobLock> locks = running.stream().map(JobData::lock).toList();

    assertThat(done(store.extendLocks(locks, LOCK, NOON.plus(LOCK)))).containsOnly(LockStatus.HELD);
    assertThat(done(store.extendLocks(locks, LOCK, NOON.plus(LOCK).plusMillis(1))))
        .containsExactly(LockStatus.LOST, LockStatus.LOST, LockStatus.HELD);

    done(holder.close());
  }

  private List<JobData> running(int count) {
    done(store.saveBulk(QUEUE, JobScene.jobs(count), NOON));
    return done(store.fetchNextJobs(fetching(count, FetchOptions.ANY)));
  }

  private PgConnection hold(JobData first, JobData second) {
    PgConnection holder = done(scene.connect());
    done(holder.query("BEGIN").execute());
    done(holder
        .query("SELECT FROM %s.jobs WHERE id IN ('%s', '%s') FOR UPDATE"
            .formatted(scene.options().getSchema(), first.id(), second.id()))
        .execute());
    return holder;
  }

  private long extended() {
    return scene.number(
        "SELECT count(*) FROM {s}.jobs WHERE lock_until = '" + LATER.plus(LOCK) + "'");
  }
}
