package dev.runlane.conformance.jobs.life;

import static dev.runlane.conformance.kit.Given.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.LockStatus;
import dev.runlane.run.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Only who holds the lock can do something to the hand-out. */
@DisplayName("only who holds the lock can do something to the hand-out")
public abstract class JobLockConformance extends JobStoreConformance {
  /** The lock of a fetch at noon has run out. */
  private static final Instant OVER = NOON.plus(LOCK).plusMillis(1);

  @Test
  @Rule("J320")
  void locks_are_extended_under_their_tokens_alone() {
    saveAll(job("a"), job("b"));
    List<JobData> jobs = fetch(2, FetchOptions.ANY, NOON);
    JobLock forged = new JobLock(QUEUE, jobs.get(1).id(), jobs.get(0).lock().token());

    List<LockStatus> statuses = Outcomes.done(store.extendLocks(
        List.of(forged, jobs.get(0).lock(), new JobLock(QUEUE, "nobody", "x")),
        LOCK,
        after(5_000)));

    assertThat(statuses).containsExactly(LockStatus.LOST, LockStatus.HELD, LockStatus.LOST);
    assertThat(get(jobs.get(0).id()).lockUntil()).isEqualTo(after(5_000).plus(LOCK));
    assertThat(get(jobs.get(1).id()).lockUntil()).isEqualTo(NOON.plus(LOCK));
  }

  @Test
  @Rule("J320")
  void a_lock_that_has_run_out_is_extended_while_nobody_took_the_job() {
    JobData job = running(job("a"));

    assertThat(Outcomes.done(store.extendLock(job.lock(), LOCK, OVER))).isEqualTo(LockStatus.HELD);

    assertThat(Outcomes.done(store.getStalledJobs(QUEUE, OVER, 10))).isEmpty();
  }

  @Test
  @Rule("J320")
  void a_lock_never_gets_shorter() {
    JobData job = running(job("a"));

    assertThat(Outcomes.done(store.extendLock(job.lock(), Duration.ofMillis(1), NOON)))
        .isEqualTo(LockStatus.HELD);

    assertThat(get(job.id()).lockUntil()).isEqualTo(NOON.plus(LOCK));
  }

  @Test
  @Rule("J321")
  void a_renewal_tells_of_a_cancellation() {
    JobData job = running(job("a"));
    Outcomes.done(store.cancelJob(QUEUE, job.id(), NOON));

    assertThat(Outcomes.done(store.extendLock(job.lock(), LOCK, after(1))))
        .isEqualTo(LockStatus.HELD_CANCELLED);
  }

  @Test
  @Rule("J322")
  void who_lost_a_job_changes_nothing_of_it() {
    JobData first = running(job("a"));
    finish(first, new JobOutcome.Stalled(), OVER);
    JobData second = fetched(FetchOptions.ANY, OVER);
    assertThat(second.id()).isEqualTo(first.id());
    JobData before = get(first.id());

    assertThat(finish(first, DONE)).isEqualTo(new FinishResult.LockLost());
    assertThat(finish(first, BROKEN)).isEqualTo(new FinishResult.LockLost());
    assertThat(Outcomes.done(store.extendLock(first.lock(), LOCK, OVER)))
        .isEqualTo(LockStatus.LOST);
    assertThat(Outcomes.done(store.releaseLock(first.lock()))).isFalse();

    assertThat(get(first.id())).isEqualTo(before);
    assertThat(finished(second, DONE).job().state()).isEqualTo(JobState.COMPLETED);
  }

  @Test
  @Rule("J420")
  void what_the_holder_of_a_lock_says_is_written() {
    JobData job = running(job("a"));

    assertThat(said(job, JobUpdate.NONE.progress(40))).isTrue();
    assertThat(said(job, JobUpdate.NONE.data(Json.ofChecked("7")).discarded(true)))
        .isTrue();
    assertThat(Outcomes.done(store.appendLog(job.lock(), "line"))).isTrue();

    JobData after = get(job.id());
    assertThat(after.progress()).isEqualTo(40);
    assertThat(after.data().text()).isEqualTo("7");
    assertThat(after.discarded()).isTrue();
    assertThat(after.logs()).containsExactly("line");
    assertThat(after.lock()).isEqualTo(job.lock());
  }

  @Test
  @Rule("J420")
  void what_somebody_says_who_lost_the_lock_is_dropped() {
    JobData first = running(job("a"));
    finish(first, new JobOutcome.Stalled(), OVER);
    assertThat(saysNothing(first)).isTrue();

    JobData second = fetched(FetchOptions.ANY, OVER);
    assertThat(saysNothing(first)).isTrue();
    finished(second, DONE);
    assertThat(saysNothing(first)).isTrue();
    assertThat(saysNothing(second)).isTrue();

    Outcomes.done(store.removeJob(QUEUE, first.id(), OVER));
    assertThat(said(second, JobUpdate.NONE.progress(40))).isFalse();
    assertThat(Outcomes.done(store.appendLog(second.lock(), "line"))).isFalse();
    assertThat(exists(first.id())).isFalse();
  }

  private boolean said(JobData running, JobUpdate updates) {
    return Outcomes.done(store.updateJob(running.lock(), updates));
  }

  private boolean saysNothing(JobData lost) {
    JobData before = get(lost.id());
    return !said(lost, JobUpdate.NONE.progress(40))
        && !said(lost, JobUpdate.NONE.data(Json.ofChecked("7")).discarded(true))
        && !Outcomes.done(store.appendLog(lost.lock(), "line"))
        && get(lost.id()).equals(before);
  }

  @Test
  @Rule("J322")
  void a_job_ends_once() {
    JobData job = running(job("a"));
    finished(job, DONE);
    JobData before = get(job.id());

    assertThat(finish(job, BROKEN)).isEqualTo(new FinishResult.LockLost());

    assertThat(get(job.id())).isEqualTo(before);
  }

  @Test
  @Rule("J322")
  void a_job_that_was_moved_or_removed_meanwhile_is_lost() {
    JobData moved = running(job("a"));
    update(moved.id(), JobUpdate.NONE.state(JobState.DELAYED).delayUntil(after(9_000)));
    assertThat(finish(moved, DONE)).isEqualTo(new FinishResult.LockLost());
    assertThat(stateOf(moved.id())).isEqualTo(JobState.DELAYED);
    assertThat(get(moved.id()).lockToken()).isNull();

    JobData removed = running(job("b"));
    Outcomes.done(store.removeJob(QUEUE, removed.id(), NOON));
    assertThat(finish(removed, DONE)).isEqualTo(new FinishResult.LockLost());
    assertThat(exists(removed.id())).isFalse();
  }

  @Test
  @Rule("J323")
  void a_released_lock_is_released_by_its_holder_alone() {
    JobData job = running(job("a"));

    assertThat(Outcomes.done(store.releaseLock(new JobLock(QUEUE, job.id(), "forged"))))
        .isFalse();
    assertThat(get(job.id()).lockedBy()).isEqualTo(WORKER);
    assertThat(Outcomes.done(store.releaseLock(job.lock()))).isTrue();

    assertThat(get(job.id()).lockUntil()).isNull();
    assertThat(get(job.id()).lockedBy()).isNull();
    assertThat(finish(job, DONE)).isEqualTo(new FinishResult.LockLost());
  }

  @Test
  @Rule("J324")
  void a_renewed_lock_does_not_stall() {
    JobData job = running(job("a"));
    Outcomes.done(store.extendLock(job.lock(), LOCK, after(20_000)));

    assertThat(finish(job, new JobOutcome.Stalled(), OVER)).isEqualTo(new FinishResult.LockLost());

    assertThat(stateOf(job.id())).isEqualTo(JobState.ACTIVE);
    assertThat(get(job.id()).stalls()).isZero();
  }

  @Test
  @Rule("J325")
  void of_competing_ends_one_succeeds() {
    JobData job = running(job("a"));

    Race.Results<FinishResult> race = race(
        8,
        i -> () -> storeOf(i)
            .finishJob(FinishJob.of(
                job.lock(),
                i % 3 == 0 ? DONE : i % 3 == 1 ? BROKEN : new JobOutcome.Stalled(),
                OVER)));

    assertThat(race.failures()).isEmpty();
    assertThat(race.results().stream().filter(FinishResult.Finished.class::isInstance))
        .hasSize(1);
    assertThat(Outcomes.done(store.listAttempts(QUEUE, job.id()))).hasSize(1);
  }
}
