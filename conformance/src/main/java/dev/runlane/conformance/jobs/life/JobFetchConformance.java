package dev.runlane.conformance.jobs.life;

import static dev.runlane.conformance.kit.Given.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FetchOptions;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Jobs are handed out in their order. */
@DisplayName("jobs are handed out in their order")
public abstract class JobFetchConformance extends JobStoreConformance {
  @Test
  @Rule("J018")
  void a_job_is_handed_out_once_and_locked() {
    String id = save(job("a"));

    JobData job = fetched();

    assertThat(job.id()).isEqualTo(id);
    assertThat(job.state()).isEqualTo(JobState.ACTIVE);
    assertThat(job.lockedBy()).isEqualTo(WORKER);
    assertThat(job.lockUntil()).isEqualTo(NOON.plus(LOCK));
    assertThat(job.processedAt()).isEqualTo(NOON);
    assertThat(job.lockToken()).isNotNull();
    assertThat(job.startedAttempts()).isEqualTo(1);
    assertThat(isNothingFetched()).isTrue();
    assertThat(get(id).lockToken()).isEqualTo(job.lockToken());
  }

  @Test
  @Rule("J019")
  void the_first_in_is_the_first_out() {
    saveAll(job("a"), job("b"), job("c"));

    assertThat(names(fetch(3, FetchOptions.ANY, NOON))).containsExactly("a", "b", "c");
  }

  @Test
  @Rule("J020")
  void the_last_in_is_the_first_out_where_asked() {
    saveAll(job("a"), job("b"), job("c"));

    assertThat(fetched(FetchOptions.ANY.lastFirst()).name()).isEqualTo("c");
    assertThat(fetched(FetchOptions.ANY.lastFirst()).name()).isEqualTo("b");
  }

  @Test
  @Rule("J021")
  void a_lower_priority_runs_first() {
    saveAll(prioritised("late", 10), prioritised("soon", 1));

    assertThat(names(fetch(2, FetchOptions.ANY, NOON))).containsExactly("soon", "late");
  }

  @Test
  @Rule("J022")
  void a_parent_that_waits_for_children_is_not_handed_out() {
    save(job("parent").parentOf(List.of("child")));
    assertThat(isNothingFetched()).isTrue();

    save(job("a"));

    assertThat(fetched().name()).isEqualTo("a");
    assertThat(isNothingFetched()).isTrue();
  }

  @Test
  @Rule("J023")
  void the_lock_of_an_active_job_is_extended() {
    JobData job = running(job("a"));

    assertThat(Outcomes.done(store.extendLock(QUEUE, job.id(), LOCK, after(5_000))))
        .isTrue();

    assertThat(get(job.id()).lockUntil()).isEqualTo(after(5_000).plus(LOCK));
  }

  @Test
  @Rule("J024")
  void the_lock_of_a_waiting_job_is_not_extended() {
    String id = save(job("a"));

    assertThat(Outcomes.done(store.extendLock(QUEUE, id, LOCK, NOON))).isFalse();
    assertThat(Outcomes.done(store.extendLock(QUEUE, "nobody", LOCK, NOON))).isFalse();

    assertThat(get(id).lockUntil()).isNull();
  }

  @Test
  @Rule("J025")
  void a_released_lock_is_gone() {
    JobData job = running(job("a"));

    Outcomes.done(store.releaseLock(QUEUE, job.id()));

    assertThat(get(job.id()).lockUntil()).isNull();
    assertThat(get(job.id()).lockedBy()).isNull();
    assertThat(stateOf(job.id())).isEqualTo(JobState.ACTIVE);
  }

  @Test
  @Rule("J026")
  void releasing_the_lock_of_an_unknown_job_changes_nothing() {
    JobData job = running(job("a"));

    Outcomes.done(store.releaseLock(QUEUE, "nobody"));

    assertThat(get(job.id()).lockUntil()).isEqualTo(NOON.plus(LOCK));
  }

  @Test
  @Rule("J027")
  void active_jobs_are_counted() {
    saveAll(job("a"), job("b"));
    assertThat(Outcomes.done(store.getActiveCount(QUEUE))).isZero();
    fetched();
    assertThat(Outcomes.done(store.getActiveCount(QUEUE))).isEqualTo(1);
    fetched();
    assertThat(Outcomes.done(store.getActiveCount(QUEUE))).isEqualTo(2);
  }

  @Test
  @Rule("J220")
  void a_priority_may_have_a_fraction_and_be_negative() {
    saveAll(prioritised("c", 1.75), prioritised("b", 1.5), prioritised("a", -0.25));

    assertThat(names(fetch(3, FetchOptions.ANY, NOON))).containsExactly("a", "b", "c");
  }

  @Test
  @Rule("J221")
  void last_first_reverses_the_order_of_insertion_alone() {
    saveAll(prioritised("a", 1), prioritised("b", 1), prioritised("c", 2), prioritised("d", 2));

    assertThat(names(fetch(4, FetchOptions.ANY.lastFirst(), NOON)))
        .containsExactly("b", "a", "d", "c");
  }

  @Test
  @Rule("J222")
  void a_lifo_job_goes_before_those_of_its_priority() {
    JobOptions lifo = JobOptions.builder().lifo(true).build();
    saveAll(job("a"), job("b"), job("c", lifo), job("d", lifo), prioritised("e", -1));

    assertThat(names(fetch(5, FetchOptions.ANY, NOON))).containsExactly("e", "d", "c", "a", "b");
  }

  @Test
  @Rule("J223")
  void a_job_that_comes_back_keeps_its_place() {
    saveAll(job("a"), job("b"));
    JobData first = fetched();
    finished(first, new JobOutcome.Retry(NOON, "again", null));
    save(job("c"));

    assertThat(names(fetch(3, FetchOptions.ANY, after(2_000)))).containsExactly("a", "b", "c");
  }

  @Test
  @Rule("J224")
  void only_jobs_of_the_name_asked_for_are_handed_out() {
    saveAll(job("a"), job("b"), job("A"));

    assertThat(names(fetch(5, FetchOptions.ANY.named("b"), NOON))).containsExactly("b");
    assertThat(names(fetch(5, FetchOptions.ANY, NOON))).containsExactly("a", "A");
  }

  @Test
  @Rule("J225")
  void never_more_than_the_limit_and_no_fewer_than_there_are() {
    saveAll(job("a"), job("b"), job("c"));

    assertThat(names(fetch(2, FetchOptions.ANY, NOON))).containsExactly("a", "b");
    assertThat(names(fetch(2, FetchOptions.ANY, NOON))).containsExactly("c");
    assertThat(fetch(2, FetchOptions.ANY, NOON)).isEmpty();
  }

  @Test
  @Rule("J226")
  void every_hand_out_has_a_token_of_its_own() {
    saveAll(job("a"), job("b"));
    List<JobData> both = fetch(2, FetchOptions.ANY, NOON);
    finished(both.get(0), new JobOutcome.Retry(NOON, "again", null));

    JobData again = fetched(FetchOptions.ANY, after(2_000));

    assertThat(again.id()).isEqualTo(both.get(0).id());
    assertThat(List.of(
            both.get(0).lock().token(), both.get(1).lock().token(), again.lock().token()))
        .doesNotHaveDuplicates();
    assertThat(again.startedAttempts()).isEqualTo(2);
    assertThat(again.processedAt()).isEqualTo(after(2_000));
  }

  @Test
  @Rule("J227")
  void never_more_are_active_than_the_queue_may_have() {
    saveAll(job("a"), job("b"), job("c"));
    FetchOptions two = FetchOptions.ANY.withGlobalConcurrency(2);

    List<JobData> active = fetch(3, two, NOON);

    assertThat(names(active)).containsExactly("a", "b");
    assertThat(isNothingFetched(two, NOON)).isTrue();
    finished(active.get(0), DONE);
    assertThat(fetched(two).name()).isEqualTo("c");
  }

  @Test
  @Rule({"J227", "J228"})
  void what_is_active_in_another_queue_does_not_count() {
    Outcomes.done(store.saveJob(OTHER_QUEUE, job("there"), NOON));
    assertThat(Outcomes.done(store.fetchNextJob(FetchJobs.one(OTHER_QUEUE, WORKER, LOCK, NOON))))
        .isPresent();
    saveAll(job("a"), job("b"));

    assertThat(names(fetch(2, FetchOptions.ANY.withGlobalConcurrency(1), NOON)))
        .containsExactly("a");
  }

  @Test
  @Rule("J228")
  void a_queue_hands_out_its_own_jobs() {
    Outcomes.done(store.saveJob(OTHER_QUEUE, job("there"), NOON));

    assertThat(isNothingFetched()).isTrue();
    assertThat(Outcomes.done(store.fetchNextJob(FetchJobs.one(OTHER_QUEUE, WORKER, LOCK, NOON))))
        .isPresent();
  }
}
