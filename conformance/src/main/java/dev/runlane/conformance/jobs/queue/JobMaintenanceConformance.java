package dev.runlane.conformance.jobs.queue;

import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.run.ErrorCode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Jobs are counted, listed, drained and cleaned, and lost ones are found. */
@DisplayName("jobs are counted, listed, drained and cleaned, and lost ones are found")
public abstract class JobMaintenanceConformance extends JobStoreConformance {
  @Test
  @Rule("J042")
  void draining_removes_what_waits_or_is_delayed() {
    saveAll(job("a"), delayed("b", 1_000));
    assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.WAITING))).isEqualTo(1);
    assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.DELAYED))).isEqualTo(1);

    Outcomes.done(store.drain(QUEUE, NOON));

    assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.WAITING))).isZero();
    assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.DELAYED))).isZero();
  }

  @Test
  @Rule("J043")
  void draining_removes_parents_too_and_leaves_the_rest() {
    JobData active = running(job("active"));
    String done = save(job("done"));
    update(done, JobUpdate.NONE.state(JobState.COMPLETED).completedAt(NOON));
    String parent = save(job("parent").parentOf(List.of("child")));

    Outcomes.done(store.drain(QUEUE, NOON));

    assertThat(exists(parent)).isFalse();
    assertThat(stateOf(active.id())).isEqualTo(JobState.ACTIVE);
    assertThat(stateOf(done)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  @Rule("J044")
  void a_job_whose_lock_has_run_out_is_stalled() {
    String id = save(job("a"));
    Outcomes.done(store.fetchNextJob(FetchJobs.one(QUEUE, WORKER, Duration.ofMillis(1), NOON)));

    List<JobData> stalled = Outcomes.done(store.getStalledJobs(QUEUE, after(10), 10));

    assertThat(ids(stalled)).containsExactly(id);
    assertThat(stalled.get(0).lockToken()).isNotNull();
  }

  @Test
  @Rule("J045")
  void a_job_whose_lock_lasts_is_not_stalled() {
    running(job("a"));

    assertThat(Outcomes.done(store.getStalledJobs(QUEUE, after(10), 10))).isEmpty();
    assertThat(Outcomes.done(store.getStalledJobs(QUEUE, NOON.plus(LOCK), 10)))
        .as("at its very end")
        .isEmpty();
    assertThat(Outcomes.done(store.getStalledJobs(QUEUE, NOON.plus(LOCK).plusMillis(1), 10)))
        .hasSize(1);
  }

  @Test
  @Rule("J046")
  void cleaning_removes_what_completed_before_the_grace() {
    String id = save(job("a"));
    update(id, JobUpdate.NONE.state(JobState.COMPLETED).completedAt(NOON));

    assertThat(clean(JobState.COMPLETED, 5_000, 10_000)).isEqualTo(1);

    assertThat(exists(id)).isFalse();
  }

  @Test
  @Rule("J047")
  void cleaning_keeps_what_completed_within_the_grace() {
    String id = save(job("a"));
    update(id, JobUpdate.NONE.state(JobState.COMPLETED).completedAt(NOON));

    assertThat(clean(JobState.COMPLETED, 60_000, 60_000)).isZero();
    assertThat(clean(JobState.FAILED, 0, 60_000)).isZero();

    assertThat(exists(id)).isTrue();
  }

  @Test
  @Rule("J048")
  void cleaning_removes_what_failed_before_the_grace() {
    String id = save(job("a"));
    update(id, JobUpdate.NONE.state(JobState.FAILED).failedAt(NOON));

    assertThat(clean(JobState.FAILED, 5_000, 10_000)).isEqualTo(1);

    assertThat(exists(id)).isFalse();
  }

  @Test
  @Rule("J049")
  void jobs_are_counted_by_state() {
    saveAll(job("a"), job("b"), delayed("c", 1_000));

    assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.WAITING))).isEqualTo(2);
    assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.DELAYED))).isEqualTo(1);
    assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.ACTIVE))).isZero();
  }

  @Test
  @Rule("J050")
  void jobs_are_listed_page_by_page() {
    saveAll(job("a"), job("b"), job("c"), job("d"), job("e"));

    assertThat(names(listed(JobState.WAITING, 0, 3))).containsExactly("a", "b", "c");
    assertThat(names(listed(JobState.WAITING, 3, 6))).containsExactly("d", "e");
    assertThat(listed(JobState.WAITING, 10, 20)).isEmpty();
  }

  @Test
  @Rule("J250")
  void ended_jobs_are_listed_last_end_first() {
    for (int i = 0; i < 3; i++) {
      String completed = save(job("c" + i));
      update(completed, JobUpdate.NONE.state(JobState.COMPLETED).completedAt(after(i)));
      String failed = save(job("f" + i));
      update(failed, JobUpdate.NONE.state(JobState.FAILED).failedAt(after(i)));
    }

    assertThat(names(listed(JobState.COMPLETED, 0, 10))).containsExactly("c2", "c1", "c0");
    assertThat(names(listed(JobState.FAILED, 0, 10))).containsExactly("f2", "f1", "f0");
  }

  @Test
  @Rule("J250")
  void an_ended_job_of_which_nobody_said_when_is_listed_first() {
    String unsaid = save(job("unsaid"));
    update(unsaid, JobUpdate.NONE.state(JobState.COMPLETED));
    JobData ended = running(job("ended"));
    finished(ended, DONE);

    assertThat(names(listed(JobState.COMPLETED, 0, 10))).containsExactly("unsaid", "ended");
  }

  @Test
  @Rule("J251")
  void only_ended_jobs_are_cleaned() {
    String id = save(job("a"));

    for (JobState open :
        List.of(JobState.WAITING, JobState.DELAYED, JobState.ACTIVE, JobState.WAITING_CHILDREN)) {
      assertFails(
          store.clean(QUEUE, open, Duration.ZERO, after(60_000)), ErrorCode.VALIDATION_FAILED);
    }

    assertThat(exists(id)).isTrue();
  }

  @Test
  @Rule("J252")
  void a_job_without_a_lock_never_stalls() {
    JobData job = running(job("a"));
    Outcomes.done(store.releaseLock(QUEUE, job.id()));

    assertThat(Outcomes.done(store.getStalledJobs(QUEUE, after(1_000_000), 10))).isEmpty();
  }

  @Test
  @Rule("J253")
  void the_first_to_stall_come_first_and_no_more_than_the_limit() {
    saveAll(job("a"), job("b"), job("c"));
    for (int millis : new int[] {30, 10, 20}) {
      Outcomes.done(
          store.fetchNextJob(FetchJobs.one(QUEUE, WORKER, Duration.ofMillis(millis), NOON)));
    }

    assertThat(names(Outcomes.done(store.getStalledJobs(QUEUE, after(100), 2))))
        .containsExactly("b", "c");
  }

  private List<JobData> listed(JobState state, int start, int end) {
    return Outcomes.done(store.listJobs(QUEUE, state, start, end));
  }

  private int clean(JobState state, long graceMillis, long atMillis) {
    return Outcomes.done(
        store.clean(QUEUE, state, Duration.ofMillis(graceMillis), after(atMillis)));
  }
}
