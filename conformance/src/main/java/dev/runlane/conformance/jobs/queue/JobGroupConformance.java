package dev.runlane.conformance.jobs.queue;

import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Outcomes.assertConflict;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.run.StorageConflictKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Groups are served in turn and within their limits. */
@DisplayName("groups are served in turn and within their limits")
public abstract class JobGroupConformance extends JobStoreConformance {
  private static final JobOptions PUSHED = JobOptions.builder()
      .group(new JobGroup("A", 2))
      .deduplication(JobDeduplication.byKey("k").as(JobDeduplication.Mode.DEBOUNCE))
      .build();
  private static final FetchOptions GROUPED = FetchOptions.ANY.withGroupConcurrency(10);
  private static final FetchOptions ONE_EACH = FetchOptions.ANY.withGroupConcurrency(1);

  @Test
  @Rule("J062")
  void the_group_of_a_job_is_kept() {
    assertThat(get(save(inGroup("a", "A"))).groupId()).isEqualTo("A");
  }

  @Test
  @Rule("J063")
  void the_active_jobs_of_groups_are_counted() {
    saveAll(inGroup("a", "A"), inGroup("b", "B"));

    fetched(GROUPED);

    assertThat(active("A") + active("B")).isEqualTo(1);
  }

  @Test
  @Rule("J064")
  void the_waiting_jobs_of_groups_are_counted() {
    saveAll(inGroup("a", "A"), inGroup("a", "A"), inGroup("b", "B"));

    assertThat(waiting("A")).isEqualTo(2);
    assertThat(waiting("B")).isEqualTo(1);
    assertThat(waiting("C")).isZero();
    assertThat(active("C")).isZero();
  }

  @Test
  @Rule("J065")
  void groups_are_served_in_turn() {
    saveAll(inGroup("a1", "A"), inGroup("a2", "A"), inGroup("b1", "B"), inGroup("b2", "B"));

    assertThat(List.of(
            fetched(GROUPED).name(),
            fetched(GROUPED).name(),
            fetched(GROUPED).name(),
            fetched(GROUPED).name()))
        .containsExactly("a1", "b1", "a2", "b2");
  }

  @Test
  @Rule("J066")
  void a_group_at_its_limit_gets_nothing() {
    saveAll(inGroup("a1", "A"), inGroup("a2", "A"));
    JobData first = fetched(ONE_EACH);

    assertThat(isNothingFetched(ONE_EACH, NOON)).isTrue();

    finished(first, DONE);
    assertThat(fetched(ONE_EACH).name()).isEqualTo("a2");
  }

  @Test
  @Rule("J067")
  void an_excluded_group_is_passed_over() {
    saveAll(inGroup("x", "X"), inGroup("y", "Y"));
    FetchOptions withoutX = FetchOptions.ANY.without(Set.of("X"));

    assertThat(fetched(withoutX).name()).isEqualTo("y");
    assertThat(isNothingFetched(withoutX, NOON)).isTrue();
  }

  @Test
  @Rule("J068")
  void jobs_without_a_group_are_handed_out_too() {
    saveAll(inGroup("a", "A"), job("b"));

    assertThat(List.of(fetched(GROUPED).name(), fetched(GROUPED).name()))
        .containsExactlyInAnyOrder("a", "b");
  }

  @Test
  @Rule("J069")
  void without_group_options_groups_change_nothing() {
    saveAll(inGroup("a1", "A"), inGroup("a2", "A"), job("b"));

    List<JobData> fetched = fetch(3, FetchOptions.ANY, NOON);

    assertThat(names(fetched)).containsExactly("a1", "a2", "b");
    assertThat(fetched.get(2).groupId()).isNull();
  }

  @Test
  @Rule("J070")
  void the_time_of_a_cancellation_is_kept_to_the_millisecond() {
    String id = save(job("a"));
    assertThat(get(id).cancelledAt()).isNull();
    Instant time = Instant.parse("2026-03-04T05:06:07.089Z");

    update(id, JobUpdate.NONE.cancelledAt(time));

    assertThat(get(id).cancelledAt()).isEqualTo(time);
  }

  @Test
  @Rule("J280")
  void priority_orders_the_jobs_of_a_group_but_not_groups() {
    saveAll(
        grouped("a-late", "A", 9),
        grouped("a-soon", "A", 1),
        grouped("b-late", "B", 8),
        grouped("b-soon", "B", 2));

    assertThat(names(fetch(4, GROUPED, NOON)))
        .containsExactly("a-soon", "b-soon", "a-late", "b-late");
  }

  @Test
  @Rule("J431")
  void a_group_keeps_its_turn_while_it_has_no_jobs() {
    saveAll(inGroup("a1", "A"), inGroup("b1", "B"), inGroup("b2", "B"));
    finished(fetched(GROUPED), DONE);
    finished(fetched(GROUPED), DONE);

    saveAll(inGroup("b3", "B"), inGroup("c1", "C"), inGroup("a2", "A"));

    assertThat(names(fetch(10, GROUPED, NOON))).containsExactly("c1", "a2", "b2", "b3");
  }

  @Test
  @Rule("J432")
  void groups_that_were_never_served_come_in_the_order_of_the_jobs_that_are_left() {
    String first = save(inGroup("a1", "A"));
    saveAll(inGroup("b1", "B"), inGroup("c1", "C"), inGroup("a2", "A"), inGroup("d1", "D"));
    assertThat(fetched().id()).isEqualTo(first);
    save(grouped("d0", "D", -1));

    assertThat(List.of(
            fetched(GROUPED).name(),
            fetched(GROUPED).name(),
            fetched(GROUPED).name(),
            fetched(GROUPED).name(),
            fetched(GROUPED).name()))
        .containsExactly("d0", "b1", "c1", "a2", "d1");
  }

  @Test
  @Rule("J281")
  void jobs_without_a_group_have_no_limit() {
    saveAll(job("a"), job("b"), job("c"));

    assertThat(fetch(3, ONE_EACH, NOON)).hasSize(3);
  }

  @Test
  @Rule("J282")
  void several_jobs_at_once_are_those_of_as_many_fetches() {
    saveAll(
        inGroup("a1", "A"), inGroup("a2", "A"), inGroup("b1", "B"), inGroup("c1", "C"), job("u1"));

    assertThat(names(fetch(10, ONE_EACH, NOON))).containsExactly("a1", "b1", "c1", "u1");
  }

  @Test
  @Rule("J283")
  void a_name_that_is_paused_does_not_hide_the_rest_of_its_group() {
    saveAll(inGroup("a", "A"), inGroup("b", "A"));
    Outcomes.done(store.pauseJobName(QUEUE, "a"));

    assertThat(fetched(GROUPED).name()).isEqualTo("b");
  }

  @Test
  @Rule("J284")
  void a_full_group_takes_no_more() {
    save(bounded("a1"));
    save(bounded("a2"));

    assertConflict(store.saveJob(QUEUE, bounded("a3"), NOON), StorageConflictKind.QUEUE_CAPACITY);
    assertThat(waiting("A")).isEqualTo(2);

    fetched();
    save(bounded("a4"));
    assertThat(waiting("A")).isEqualTo(2);
  }

  @Test
  @Rule("J284")
  void a_call_that_overfills_a_group_stores_nothing() {
    assertConflict(
        store.saveJobs(QUEUE, List.of(job("x"), bounded("a1"), bounded("a2"), bounded("a3")), NOON),
        StorageConflictKind.QUEUE_CAPACITY);

    assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.WAITING))).isZero();
  }

  @Test
  @Rule("J441")
  void a_call_that_overfills_a_group_leaves_keys_to_those_who_have_them() {
    JobDeduplication shortly = JobDeduplication.byKey("key").within(Duration.ofMillis(1));
    String first = save(job("a", JobOptions.builder().deduplication(shortly).build()));
    JobOptions keyed =
        JobOptions.builder().deduplication(JobDeduplication.byKey("key")).build();
    List<NewJob> call = List.of(
        NewJob.of("b", DATA, keyed, after(100)), bounded("a1"), bounded("a2"), bounded("a3"));

    assertConflict(store.saveJobs(QUEUE, call, after(100)), StorageConflictKind.QUEUE_CAPACITY);

    update(first, JobUpdate.NONE.options(keyed));
    assertThat(Outcomes.done(store.findByDeduplicationKey(QUEUE, "key", after(100)))
            .map(JobData::id))
        .contains(first);
  }

  @Test
  @Rule("J284")
  void a_job_that_a_replacement_of_the_same_call_makes_wait_counts_for_its_group() {
    save(bounded("a1"));
    NewJob delayed = job("a2", PUSHED.toBuilder().delay(Duration.ofSeconds(9)).build());
    List<NewJob> call = List.of(job("a2", PUSHED), bounded("a3"));

    assertConflict(
        store.saveJobs(QUEUE, List.of(delayed, call.get(0), call.get(1)), NOON),
        StorageConflictKind.QUEUE_CAPACITY);
    save(delayed);
    assertConflict(store.saveJobs(QUEUE, call, NOON), StorageConflictKind.QUEUE_CAPACITY);

    assertThat(waiting("A")).isEqualTo(1);
  }

  @Test
  @Rule("J284")
  void a_job_that_a_replacement_of_the_same_call_delays_makes_room_in_its_group() {
    save(bounded("a1"));

    saveAll(
        job("a2", PUSHED),
        job("a2", PUSHED.toBuilder().delay(Duration.ofSeconds(9)).build()),
        bounded("a3"));

    assertThat(waiting("A")).isEqualTo(2);
  }

  @Test
  @Rule("J285")
  void competing_saves_do_not_overfill_a_group() {
    Race.Results<String> race =
        race(20, i -> () -> storeOf(i).saveJob(QUEUE, bounded("a" + i), NOON));

    assertThat(race.results()).hasSize(2);
    assertThat(race.failures())
        .hasSize(18)
        .allMatch(failure -> failure.isConflict(StorageConflictKind.QUEUE_CAPACITY));
    assertThat(waiting("A")).isEqualTo(2);
  }

  private static NewJob grouped(String name, String group, double priority) {
    return job(
        name, JobOptions.builder().group(JobGroup.of(group)).priority(priority).build());
  }

  private static NewJob bounded(String name) {
    return job(name, JobOptions.builder().group(new JobGroup("A", 2)).build());
  }

  private long active(String group) {
    return Outcomes.done(store.getGroupActiveCount(QUEUE, group));
  }

  private long waiting(String group) {
    return Outcomes.done(store.getWaitingGroupCount(QUEUE, group));
  }
}
