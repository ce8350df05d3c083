package dev.runlane.conformance.jobs.life;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.jobs.store.CancelResult;
import dev.runlane.jobs.store.JobTransitions;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Open jobs are cancelled. */
@DisplayName("open jobs are cancelled")
public abstract class JobCancellationConformance extends JobStoreConformance {
  @Test
  @Rule("J380")
  void a_job_that_nobody_runs_ends_at_once() {
    for (String id : List.of(
        save(job("a")), save(delayed("b", 9_000)), save(job("c").parentOf(List.of("child"))))) {
      CancelResult result = Outcomes.done(store.cancelOpenJob(QUEUE, id, after(5)));

      assertThat(result).isInstanceOf(CancelResult.Ended.class);
      JobData job = get(id);
      assertThat(job.state()).isEqualTo(JobState.FAILED);
      assertThat(job.failedReason()).isEqualTo(JobTransitions.CANCELLED_REASON);
      assertThat(job.failedAt()).isEqualTo(after(5));
      assertThat(job.cancelledAt()).isEqualTo(after(5));
      assertThat(job.delayUntil()).isNull();
    }
    assertThat(isNothingFetched()).isTrue();
  }

  @Test
  @Rule("J381")
  void the_worker_of_a_running_job_is_told() {
    Queue<StoreEvent> heard = new ConcurrentLinkedQueue<>(); // any thread may add
    Outcomes.done(store.subscribe(QUEUE, heard::add));
    String id = running(job("a")).id();

    assertThat(Outcomes.done(store.cancelOpenJob(QUEUE, id, after(5))))
        .isEqualTo(new CancelResult.Requested());

    assertThat(stateOf(id)).isEqualTo(JobState.ACTIVE);
    assertThat(get(id).cancelledAt()).isEqualTo(after(5));
    assertThat(heard)
        .containsExactly(StoreEvent.of(StoreEventType.JOB_CANCELLED, QUEUE, id, after(5)));
  }

  @Test
  @Rule("J382")
  void what_has_ended_or_is_unknown_is_left_alone() {
    String completed = ended(job("a"), DONE, after(1));
    JobData before = get(completed);

    assertThat(Outcomes.done(store.cancelOpenJob(QUEUE, completed, after(5))))
        .isEqualTo(new CancelResult.Unchanged());
    assertThat(Outcomes.done(store.cancelOpenJob(QUEUE, "nobody", after(5))))
        .isEqualTo(new CancelResult.Unchanged());

    assertThat(get(completed)).isEqualTo(before);
  }

  @Test
  @Rule("J382")
  void a_second_wish_changes_nothing() {
    String id = running(job("a")).id();
    Outcomes.done(store.cancelOpenJob(QUEUE, id, after(5)));

    assertThat(Outcomes.done(store.cancelOpenJob(QUEUE, id, after(6))))
        .isEqualTo(new CancelResult.Unchanged());
    assertThat(Outcomes.done(store.cancelJob(QUEUE, id, after(7)))).isTrue();

    assertThat(get(id).cancelledAt()).isEqualTo(after(5));
  }
}
