package dev.runlane.conformance.jobs.life;

import static dev.runlane.conformance.kit.Given.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.store.FetchOptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Jobs wait for their due time. */
@DisplayName("jobs wait for their due time")
public abstract class JobDelayConformance extends JobStoreConformance {
  @Test
  @Rule("J028")
  void a_delayed_job_is_handed_out_once_it_was_promoted() {
    String id = save(delayed("a", 100));
    assertThat(stateOf(id)).isEqualTo(JobState.DELAYED);
    assertThat(isNothingFetched(FetchOptions.ANY, after(200))).isTrue();

    assertThat(Outcomes.done(store.promoteDelayedJobs(QUEUE, after(200)))).isEqualTo(1);

    assertThat(get(id).delayUntil()).isNull();
    assertThat(fetched().id()).isEqualTo(id);
  }

  @Test
  @Rule("J029")
  void a_job_that_is_not_due_stays_delayed() {
    String id = save(delayed("a", 60_000));

    assertThat(Outcomes.done(store.promoteDelayedJobs(QUEUE, after(59_999)))).isZero();

    assertThat(stateOf(id)).isEqualTo(JobState.DELAYED);
    assertThat(get(id).delayUntil()).isEqualTo(after(60_000));
  }

  @Test
  @Rule("J030")
  void the_next_due_time_is_that_of_the_first_due() {
    assertThat(Outcomes.done(store.getNextDelayedTimestamp(QUEUE))).isEmpty();

    saveAll(delayed("a", 5_000), delayed("b", 1_001), job("c"));

    assertThat(Outcomes.done(store.getNextDelayedTimestamp(QUEUE))).contains(after(1_001));
  }

  @Test
  @Rule("J230")
  void a_job_is_due_at_its_due_time() {
    String id = save(delayed("a", 60_000));

    assertThat(Outcomes.done(store.promoteDelayedJobs(QUEUE, after(60_000)))).isEqualTo(1);

    assertThat(stateOf(id)).isEqualTo(JobState.WAITING);
  }

  @Test
  @Rule("J429")
  void a_delayed_job_without_a_due_time_is_promoted_with_all_others() {
    String id = save(job("a"));
    update(id, JobUpdate.NONE.state(JobState.DELAYED));
    save(delayed("b", 60_000));
    assertThat(Outcomes.done(store.promoteDelayedJobs(QUEUE, after(59_999)))).isZero();

    assertThat(Outcomes.done(store.promoteJobs(QUEUE))).isEqualTo(2);

    assertThat(stateOf(id)).isEqualTo(JobState.WAITING);
  }

  @Test
  @Rule("J232")
  void instants_are_kept_to_the_millisecond() {
    String id = save(job("a").dueAt(NOON.plusNanos(1_987_654_321)));

    assertThat(get(id).delayUntil()).isEqualTo(NOON.plusMillis(1_987));
  }
}
