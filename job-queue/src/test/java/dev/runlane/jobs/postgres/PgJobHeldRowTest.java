package dev.runlane.jobs.postgres;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.conformance.kit.Outcomes.failure;
import static dev.runlane.jobs.postgres.JobScene.LOCK;
import static dev.runlane.jobs.postgres.JobScene.NOON;
import static dev.runlane.jobs.postgres.JobScene.QUEUE;
import static dev.runlane.jobs.postgres.JobScene.fetching;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.jobs.queue.JobEntry;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.options.JobWorkerOptions;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishAndFetch;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.LockStatus;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.pgclient.PgConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
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

  @Test
  void an_end_whose_row_somebody_holds_keeps_no_other_of_its_call_from_being_stored() {
    List<JobData> running = running(40);
    PgConnection holder = scene.hold(running.get(7).id());
    Future<List<FinishResult>> ended =
        store.finishJobs(running.stream().map(JobScene::completing).toList());

    JobScene.until(() -> completed() == 39);
    done(holder.query("COMMIT").execute());

    assertThat(done(ended)).hasSize(40).hasOnlyElementsOfType(FinishResult.Finished.class);
    assertThat(completed()).isEqualTo(40);
    done(holder.close());
  }

  @Test
  void a_call_with_an_end_whose_row_somebody_holds_fails_soon_and_may_be_made_again() {
    List<JobData> running = running(2);
    done(store.saveJob(QUEUE, JobScene.job("next"), NOON));
    PgConnection holder = scene.hold(running.get(0).id());
    List<FinishJob> ends = running.stream().map(JobScene::completing).toList();

    RunlaneException failure =
        failure(store.finishAndFetch(new FinishAndFetch(ends, fetching(2, FetchOptions.ANY))));

    assertThat(failure.code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(failure.isRetryable()).isTrue();
    assertThat(completed()).isEqualTo(1);
    assertThat(done(store.fetchNextJobs(fetching(2, FetchOptions.ANY))))
        .extracting(JobData::name)
        .containsExactly("next");
    done(holder.query("COMMIT").execute());
    assertThat(done(store.finishJobs(ends.subList(0, 1))))
        .hasOnlyElementsOfType(FinishResult.Finished.class);
    done(holder.close());
  }

  @Test
  void a_worker_goes_on_and_tells_of_all_others_while_somebody_holds_the_row_of_an_ended_one() {
    Jobs jobs = Jobs.create(scene.vertx(), store);
    Set<String> heard = ConcurrentHashMap.newKeySet();
    done(store.subscribe(QUEUE, event -> {
      if (event.type() == StoreEventType.JOB_COMPLETED) {
        heard.add(String.valueOf(event.jobId()));
      }
    }));
    Promise<JobResult> end = Promise.promise();
    jobs.worker(
        QUEUE,
        JobProcessor.of((job, signal) ->
            job.name().equals("first") ? end.future() : Future.succeededFuture(JobResult.done())),
        new JobWorkerOptions().setConcurrency(20));
    List<Job> first =
        done(jobs.queue(QUEUE).addBulk(Collections.nCopies(20, JobEntry.of("first", 1))));
    JobScene.until(() -> done(store.getActiveCount(QUEUE)) == 20);
    PgConnection holder = scene.hold(first.get(0).id());

    end.complete(JobResult.done());
    done(jobs.queue(QUEUE).addBulk(Collections.nCopies(100, JobEntry.of("other", 1))));

    JobScene.until(() -> heard.size() == 119);
    assertThat(heard).doesNotContain(first.get(0).id());
    done(holder.query("COMMIT").execute());
    JobScene.until(() -> heard.size() == 120);
    done(jobs.close());
    done(holder.close());
  }

  /** What waits for a row meets another version of it than the one it began with. */
  @Test
  void what_waited_for_a_row_that_has_changed_then_is_stored_as_well() {
    PgJobStore patient = scene.create(scene.options().setLockTimeout(Duration.ofSeconds(30)));
    done(patient.connect());
    List<JobData> running = running(2);

    Future<List<LockStatus>> extended = behindAChange(
        running.get(0), () -> patient.extendLocks(List.of(running.get(0).lock()), LOCK, LATER));
    assertThat(done(extended)).containsExactly(LockStatus.HELD);
    assertThat(extended()).isEqualTo(1);

    Future<List<FinishResult>> ended = behindAChange(
        running.get(1), () -> patient.finishJobs(List.of(JobScene.completing(running.get(1)))));
    assertThat(done(ended)).hasSize(1);
    assertThat(completed()).isEqualTo(1);
  }

  private <T> Future<T> behindAChange(JobData job, Supplier<Future<T>> call) {
    PgConnection holder = scene.hold(job.id());
    done(holder
        .query("UPDATE %s.jobs SET progress = 0.5 WHERE id = '%s'"
            .formatted(scene.options().getSchema(), job.id()))
        .execute());
    Future<T> called = call.get();
    JobScene.until(() -> scene.number("SELECT count(*) FROM pg_locks WHERE NOT granted") > 0);
    done(holder.query("COMMIT").execute());
    done(holder.close());
    return called;
  }

  private long completed() {
    return scene.number("SELECT count(*) FROM {s}.jobs WHERE state = 'completed'");
  }

  private PgConnection hold(JobData first, JobData second) {
    return scene.hold(first.id(), second.id());
  }

  private long extended() {
    return scene.number(
        "SELECT count(*) FROM {s}.jobs WHERE lock_until = '" + LATER.plus(LOCK) + "'");
  }
}
