package dev.runlane.conformance.jobs.queue;

import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Outcomes.assertConflict;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.jobs.store.Obliterate;
import dev.runlane.run.StorageConflictKind;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** All jobs of a queue are counted, deleted, tried again and promoted. */
@DisplayName("all jobs of a queue are counted, deleted, tried again and promoted")
public abstract class JobQueueConformance extends JobStoreConformance {
  @Test
  @Rule("J071")
  void jobs_of_all_states_are_counted() {
    running(job("active"));
    saveAll(job("a"), job("b"), delayed("c", 1_000));
    update(save(job("d")), JobUpdate.NONE.state(JobState.COMPLETED).completedAt(NOON));
    update(save(job("e")), JobUpdate.NONE.state(JobState.FAILED).failedAt(NOON));
    save(job("f").parentOf(List.of("child")));

    assertThat(Outcomes.done(store.getJobCounts(QUEUE)))
        .isEqualTo(Map.of(
            JobState.ACTIVE, 1L,
            JobState.WAITING, 2L,
            JobState.DELAYED, 1L,
            JobState.COMPLETED, 1L,
            JobState.FAILED, 1L,
            JobState.WAITING_CHILDREN, 1L));
  }

  @Test
  @Rule("J072")
  void an_empty_queue_has_zeros() {
    Outcomes.done(store.saveJob(OTHER_QUEUE, job("a"), NOON));

    assertThat(Outcomes.done(store.getJobCounts(QUEUE)))
        .hasSize(6)
        .allSatisfy((state, count) -> assertThat(count).isZero());
    assertThat(Outcomes.done(store.getJobCounts(OTHER_QUEUE))).containsEntry(JobState.WAITING, 1L);
  }

  @Test
  @Rule("J073")
  void an_obliterated_queue_has_neither_jobs_nor_pauses() {
    String id = save(job("a"));
    Outcomes.done(store.saveJob(OTHER_QUEUE, job("b"), NOON));
    Outcomes.done(store.pauseJobName(QUEUE, "a"));

    Outcomes.done(store.obliterate(QUEUE, Obliterate.IF_IDLE, NOON));

    assertThat(exists(id)).isFalse();
    assertThat(Outcomes.done(store.getPausedJobNames(QUEUE))).isEmpty();
    assertThat(Outcomes.done(store.countJobs(OTHER_QUEUE, JobState.WAITING))).isEqualTo(1);
  }

  @Test
  @Rule("J074")
  void a_queue_with_an_active_job_is_not_obliterated() {
    JobData active = running(job("a"));
    String waiting = save(job("b"));

    assertConflict(
        store.obliterate(QUEUE, Obliterate.IF_IDLE, NOON), StorageConflictKind.JOB_STATE);

    assertThat(exists(active.id())).isTrue();
    assertThat(exists(waiting)).isTrue();
  }

  @Test
  @Rule("J075")
  void a_queue_with_an_active_job_is_obliterated_by_force() {
    JobData active = running(job("a"));

    Outcomes.done(store.obliterate(QUEUE, Obliterate.FORCED, NOON));

    assertThat(exists(active.id())).isFalse();
  }

  @Test
  @Rule("J076")
  void failed_jobs_are_tried_again_from_the_beginning() {
    String failed = ended(job("a"), BROKEN, after(10));
    update(failed, JobUpdate.NONE.progress(40).returnvalue(DATA));
    String completed = ended(job("b"), DONE, after(20));
    assertThat(get(failed).stacktrace()).hasSize(1);

    assertThat(Outcomes.done(store.retryJobs(QUEUE, JobState.FAILED))).isEqualTo(1);

    JobData again = get(failed);
    assertThat(again.state()).isEqualTo(JobState.WAITING);
    assertThat(again.attemptsMade()).isZero();
    assertThat(again.progress()).isZero();
    assertThat(again.returnvalue()).isNull();
    assertThat(again.failedReason()).isNull();
    assertThat(again.failedAt()).isNull();
    assertThat(again.completedAt()).isNull();
    assertThat(again.processedAt()).isNull();
    assertThat(again.stacktrace()).isEmpty();
    assertThat(stateOf(completed)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  @Rule("J460")
  void failed_jobs_that_fit_are_counted_and_tried_again_cancelled_ones_only_if_asked_for() {
    String mail = ended(job("Mail"), BROKEN, after(10));
    String grouped = ended(inGroup("mail", "g"), BROKEN, after(20));
    String call = ended(job("call"), BROKEN, after(30));
    String cancelled = save(job("email"));
    Outcomes.done(store.cancelOpenJob(QUEUE, cancelled, after(40)));
    String completed = ended(job("mail"), DONE, after(50));
    FailedJobsFilter mails = new FailedJobsFilter("MAIL", null, null, null, false);
    FailedJobsFilter ofGroup = new FailedJobsFilter(null, "g", NOON, NOON, false);
    FailedJobsFilter later = new FailedJobsFilter(null, null, after(1), null, true);

    assertThat(Outcomes.done(store.countJobs(QUEUE, FailedJobsFilter.ALL))).isEqualTo(3);
    assertThat(Outcomes.done(store.countJobs(QUEUE, mails))).isEqualTo(2);
    assertThat(Outcomes.done(store.countJobs(QUEUE, mails.withCancelledOnes()))).isEqualTo(3);
    assertThat(Outcomes.done(store.countJobs(QUEUE, ofGroup))).isEqualTo(1);
    assertThat(Outcomes.done(store.retryJobs(QUEUE, later))).isZero();
    assertThat(Outcomes.done(store.retryJobs(QUEUE, ofGroup))).isEqualTo(1);
    assertThat(stateOf(mail)).isEqualTo(JobState.FAILED);
    assertThat(Outcomes.done(store.retryJobs(QUEUE, mails))).isEqualTo(1);

    assertThat(List.of(stateOf(mail), stateOf(grouped))).containsOnly(JobState.WAITING);
    assertThat(List.of(stateOf(call), stateOf(cancelled))).containsOnly(JobState.FAILED);
    assertThat(get(mail).stacktrace()).isEmpty();
    assertThat(Outcomes.done(store.retryJobs(QUEUE, FailedJobsFilter.ALL.withCancelledOnes())))
        .isEqualTo(2);
    assertThat(get(cancelled).cancelledAt()).isNull();
    assertThat(stateOf(completed)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  @Rule("J077")
  void completed_jobs_are_run_again() {
    String completed = ended(job("a"), DONE, after(10));
    String failed = ended(job("b"), BROKEN, after(20));

    assertThat(Outcomes.done(store.retryJobs(QUEUE, JobState.COMPLETED))).isEqualTo(1);

    assertThat(stateOf(completed)).isEqualTo(JobState.WAITING);
    assertThat(get(completed).returnvalue()).isNull();
    assertThat(stateOf(failed)).isEqualTo(JobState.FAILED);
    assertThat(fetched().id()).isEqualTo(completed);
  }

  @Test
  @Rule("J078")
  void other_jobs_are_not_tried_again() {
    String delayed = save(delayed("a", 1_000));
    JobData active = running(job("b"));

    for (JobState state : JobState.values()) {
      assertThat(Outcomes.done(store.retryJobs(QUEUE, state))).isZero();
    }

    assertThat(stateOf(delayed)).isEqualTo(JobState.DELAYED);
    assertThat(stateOf(active.id())).isEqualTo(JobState.ACTIVE);
  }

  @Test
  @Rule("J079")
  void all_delayed_jobs_are_promoted() {
    String first = save(delayed("a", 1_000));
    String second = save(delayed("b", 60_000));

    assertThat(Outcomes.done(store.promoteJobs(QUEUE))).isEqualTo(2);

    for (String id : List.of(first, second)) {
      assertThat(stateOf(id)).isEqualTo(JobState.WAITING);
      assertThat(get(id).delayUntil()).isNull();
    }
  }

  @Test
  @Rule("J080")
  void without_delayed_jobs_none_is_promoted() {
    String id = save(job("a"));
    Outcomes.done(store.saveJob(OTHER_QUEUE, delayed("b", 1_000), NOON));

    assertThat(Outcomes.done(store.promoteJobs(QUEUE))).isZero();

    assertThat(stateOf(id)).isEqualTo(JobState.WAITING);
    assertThat(Outcomes.done(store.promoteJobs(OTHER_QUEUE))).isEqualTo(1);
  }

  @Test
  @Rule("J290")
  void a_cancelled_job_that_is_tried_again_is_not_cancelled_again() {
    String id = save(job("a"));
    Outcomes.done(store.cancelOpenJob(QUEUE, id, NOON));

    Outcomes.done(store.retryJobs(QUEUE, JobState.FAILED));

    assertThat(finished(fetched(), DONE).job().state()).isEqualTo(JobState.COMPLETED);
  }

  @Test
  @Rule("J291")
  void a_job_tried_again_has_all_of_its_stalls_before_it() {
    JobData running = running(job("a"));
    finish(running, new JobOutcome.Stalled(), NOON.plus(LOCK).plusMillis(1));
    assertThat(get(running.id()).stalls()).isEqualTo(1);
    finished(fetched(), BROKEN);

    Outcomes.done(store.retryJobs(QUEUE, JobState.FAILED));

    assertThat(get(running.id()).stalls()).isZero();
  }
}
