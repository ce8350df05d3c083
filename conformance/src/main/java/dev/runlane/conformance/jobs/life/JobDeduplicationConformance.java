package dev.runlane.conformance.jobs.life;

import static dev.runlane.conformance.kit.Given.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.LongTexts;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobDeduplication.Mode;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.JobChecks;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.json.PayloadHash;
import dev.runlane.run.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Of jobs with one key at most one is open. */
@DisplayName("of jobs with one key at most one is open")
public abstract class JobDeduplicationConformance extends JobStoreConformance {
  private static final JobDeduplication KEY = JobDeduplication.byKey("key");

  @Test
  @Rule("J033")
  void a_job_is_found_by_its_key() {
    String id = save(keyed("a", KEY));

    assertThat(found("key", NOON)).contains(id);
    assertThat(found("other", NOON)).isEmpty();
  }

  @Test
  @Rule("J034")
  void a_job_is_found_by_the_hash_of_its_payload() {
    JobOptions byPayload =
        JobOptions.builder().deduplication(JobDeduplication.byPayload()).build();
    Json data = Json.ofChecked("{\"b\":1,\"a\":[1,2]}");
    String id = save(NewJob.of("a", data, byPayload, NOON));

    assertThat(found(PayloadHash.of(Json.ofChecked("{\"a\":[1, 2], \"b\":1.0}")), NOON))
        .contains(id);
    assertThat(found(PayloadHash.of(Json.ofChecked("{\"a\":[2,1],\"b\":1}")), NOON))
        .isEmpty();
  }

  @Test
  @Rule("J035")
  void past_its_time_to_live_a_key_is_free() {
    String id = save(keyed("a", KEY.within(Duration.ofMillis(1))));

    assertThat(found("key", after(1))).contains(id);
    assertThat(found("key", after(100))).isEmpty();
  }

  @Test
  @Rule("J036")
  void within_its_time_to_live_a_key_is_taken() {
    String id = save(keyed("a", KEY.within(Duration.ofSeconds(60))));

    assertThat(found("key", after(100))).contains(id);
    assertThat(found("key", after(60_000))).contains(id);
    assertThat(found("key", after(60_001))).isEmpty();
  }

  @Test
  @Rule("J037")
  void a_completed_job_gives_its_key_up() {
    String id = save(keyed("a", KEY));
    assertThat(found("key", NOON)).contains(id);

    update(id, JobUpdate.NONE.state(JobState.COMPLETED).completedAt(NOON));

    assertThat(found("key", NOON)).isEmpty();
  }

  @Test
  @Rule({"J037", "J038"})
  void a_hand_out_that_ends_gives_its_key_up() {
    for (JobOutcome outcome : List.of(DONE, BROKEN)) {
      JobData running = running(keyed("a", KEY));

      finished(running, outcome);

      assertThat(found("key", NOON)).isEmpty();
      String next = save(keyed("b", KEY));
      assertThat(next).isNotEqualTo(running.id());
      Outcomes.done(store.removeJob(QUEUE, next, NOON));
    }
  }

  @Test
  @Rule("J038")
  void a_failed_job_gives_its_key_up() {
    String id = save(keyed("a", KEY));
    assertThat(found("key", NOON)).contains(id);

    update(id, JobUpdate.NONE.state(JobState.FAILED).failedAt(NOON));

    assertThat(found("key", NOON)).isEmpty();
  }

  @Test
  @Rule("J039")
  void a_second_job_with_the_key_is_not_stored() {
    String id = save(keyed("a", KEY));

    assertThat(save(keyed("b", KEY))).isEqualTo(id);

    assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.WAITING))).isEqualTo(1);
    assertThat(get(id).name()).isEqualTo("a");
  }

  @Test
  @Rule("J040")
  void past_the_time_to_live_a_second_job_is_stored() {
    String id = save(keyed("a", KEY.within(Duration.ofMillis(1))));

    String second = Outcomes.done(store.saveJob(
        QUEUE, NewJob.of("b", DATA, keyed("b", KEY).options(), after(100)), after(100)));

    assertThat(second).isNotEqualTo(id);
    assertThat(found("key", after(101))).contains(second);
  }

  @Test
  @Rule("J041")
  void a_call_with_a_known_key_and_a_new_job_stores_the_new_one() {
    String id = save(keyed("a", KEY));

    List<String> ids =
        Outcomes.done(store.saveBulk(QUEUE, List.of(keyed("b", KEY), job("c")), NOON));

    assertThat(ids).hasSize(2).startsWith(id).doesNotHaveDuplicates();
    assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.WAITING))).isEqualTo(2);
  }

  @Test
  @Rule("J240")
  void jobs_of_one_call_deduplicate_each_other() {
    List<SavedJob> saved = Outcomes.done(
        store.saveJobs(QUEUE, List.of(keyed("a", KEY), job("b"), keyed("c", KEY)), NOON));

    assertThat(saved)
        .extracting(SavedJob::outcome)
        .containsExactly(
            SavedJob.Outcome.STORED, SavedJob.Outcome.STORED, SavedJob.Outcome.EXISTING);
    assertThat(saved.get(2).id()).isEqualTo(saved.get(0).id());
    assertThat(get(saved.get(0).id()).name()).isEqualTo("a");
  }

  @Test
  @Rule("J241")
  void a_key_belongs_to_its_queue() {
    String here = save(keyed("a", KEY));

    String there = Outcomes.done(store.saveJob(OTHER_QUEUE, keyed("b", KEY), NOON));

    assertThat(there).isNotEqualTo(here);
    assertThat(found("key", NOON)).contains(here);
  }

  @Test
  @Rule("J242")
  void competing_saves_of_one_key_store_one_job() {
    Race.Results<String> race =
        race(20, i -> () -> storeOf(i).saveJob(QUEUE, keyed("a" + i, KEY), NOON));

    assertThat(race.failures()).isEmpty();
    assertThat(race.results()).hasSize(20).containsOnly(race.results().get(0));
    assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.WAITING))).isEqualTo(1);
  }

  @Test
  @Rule("J243")
  void a_replacing_job_gives_the_open_one_its_payload_and_options() {
    String id = save(delayed("a", KEY, 5_000));

    SavedJob saved = saved(NewJob.of(
        "b",
        Json.ofChecked("2"),
        delayed("b", KEY.as(Mode.REPLACE), 9_000).options().toBuilder()
            .priority(3)
            .build(),
        after(100)));

    assertThat(saved).isEqualTo(new SavedJob(id, SavedJob.Outcome.REPLACED, JobState.DELAYED));
    JobData job = get(id);
    assertThat(job.name()).isEqualTo("b");
    assertThat(job.data()).isEqualTo(Json.ofChecked("2"));
    assertThat(job.options().effectivePriority()).isEqualTo(3);
    assertThat(job.delayUntil()).as("due as before").isEqualTo(after(5_000));
  }

  @Test
  @Rule("J243")
  void a_debouncing_job_pushes_the_open_one_on() {
    String id = save(delayed("a", KEY, 5_000));

    SavedJob saved = saved(
        NewJob.of("b", DATA, delayed("b", KEY.as(Mode.DEBOUNCE), 5_000).options(), after(4_000)));

    assertThat(saved).isEqualTo(new SavedJob(id, SavedJob.Outcome.REPLACED, JobState.DELAYED));
    assertThat(get(id).delayUntil()).isEqualTo(after(9_000));
    assertThat(get(id).name()).isEqualTo("b");
  }

  @Test
  @Rule("J481")
  void a_replacing_job_has_all_its_attempts() {
    assertTriedAnew(Mode.REPLACE);
  }

  @Test
  @Rule("J481")
  void a_debouncing_job_has_all_its_attempts() {
    assertTriedAnew(Mode.DEBOUNCE);
  }

  private void assertTriedAnew(Mode mode) {
    finish(running(keyed("a", KEY)), new JobOutcome.Stalled(), NOON.plus(LOCK).plusMillis(1));
    JobData running = fetched();
    finished(running, new JobOutcome.Retry(NOON, "again", null));
    update(running.id(), JobUpdate.NONE.progress(50).discarded(true));

    SavedJob saved = saved(keyed("b", KEY.as(mode)));

    assertThat(saved)
        .isEqualTo(new SavedJob(running.id(), SavedJob.Outcome.REPLACED, JobState.WAITING));
    JobData job = get(running.id());
    assertThat(job.attemptsMade()).isZero();
    assertThat(job.stalls()).isZero();
    assertThat(job.failedReason()).isNull();
    assertThat(job.progress()).isZero();
    assertThat(job.discarded()).isFalse();
    assertThat(job.startedAttempts()).as("hand-outs stay").isEqualTo(2);
  }

  @Test
  @Rule("J244")
  void a_running_job_is_not_replaced() {
    JobData running = running(keyed("a", KEY));

    SavedJob saved = saved(keyed("b", KEY.as(Mode.DEBOUNCE)));

    assertThat(saved)
        .isEqualTo(new SavedJob(running.id(), SavedJob.Outcome.EXISTING, JobState.ACTIVE));
    assertThat(get(running.id()).name()).isEqualTo("a");
    assertThat(finished(running, DONE).job().state()).isEqualTo(JobState.COMPLETED);
  }

  @Test
  @Rule("J245")
  void a_job_that_comes_back_does_not_take_a_key_that_another_has() {
    String first = ended(keyed("a", KEY), BROKEN, after(10));
    String second = save(keyed("b", KEY));

    Outcomes.done(store.retryJobs(QUEUE, JobState.FAILED));

    assertThat(get(first).deduplicationKey()).isNull();
    assertThat(found("key", NOON)).contains(second);
  }

  @Test
  @Rule("J245")
  void a_job_that_comes_back_to_a_free_key_takes_it() {
    String first = ended(keyed("a", KEY), BROKEN, after(10));

    Outcomes.done(store.retryJobs(QUEUE, JobState.FAILED));

    assertThat(found("key", NOON)).contains(first);
    assertThat(save(keyed("b", KEY))).isEqualTo(first);
  }

  @Test
  @Rule("J246")
  void a_removed_job_gives_its_key_up() {
    String first = save(keyed("a", KEY));
    Outcomes.done(store.removeJob(QUEUE, first, NOON));

    assertThat(save(keyed("b", KEY))).isNotEqualTo(first);
  }

  @Test
  @Rule("J426")
  void a_job_that_is_replaced_in_its_own_call_keeps_its_place() {
    NewJob last = keyed("a", KEY);
    NewJob first = lastInFirstOut("b", JobDeduplication.byKey("other"));

    Outcomes.done(store.saveJobs(
        QUEUE,
        List.of(
            job("x"),
            last,
            first,
            lastInFirstOut("a again", KEY.as(Mode.REPLACE)),
            keyed("b again", JobDeduplication.byKey("other").as(Mode.REPLACE)),
            job("y")),
        NOON));

    assertThat(names(fetch(10, FetchOptions.ANY, NOON)))
        .containsExactly("b again", "x", "a again", "y");
  }

  @Test
  @Rule("J427")
  void a_job_whose_key_has_run_out_still_says_which_it_was() {
    String first = save(keyed("a", KEY.within(Duration.ofMillis(1))));
    String second = Outcomes.done(store.saveJob(
        QUEUE, NewJob.of("b", DATA, keyed("b", KEY).options(), after(100)), after(100)));

    update(first, JobUpdate.NONE.progress(50).failedReason("so far"));

    assertThat(get(first).deduplicationKey()).isEqualTo("key");
    assertThat(found("key", after(101))).contains(second);
    assertThat(finished(fetched(), DONE).job().jobId()).isEqualTo(first);
    assertThat(get(first).deduplicationKey()).isEqualTo("key");
    assertThat(found("key", after(101))).contains(second);
  }

  @Test
  @Rule("J428")
  void of_jobs_that_come_back_together_the_last_to_end_takes_the_key() {
    String first = ended(keyed("a", KEY), BROKEN, after(20));
    String second = ended(keyed("b", KEY), BROKEN, after(10));

    assertThat(Outcomes.done(store.retryJobs(QUEUE, JobState.FAILED))).isEqualTo(2);

    assertThat(found("key", NOON)).contains(first);
    assertThat(get(second).deduplicationKey()).isNull();
  }

  @Test
  @Rule("J433")
  void a_job_that_is_named_in_a_call_has_the_state_that_an_earlier_job_of_it_gave() {
    String id = save(delayed("a", KEY, 5_000));

    List<SavedJob> saved = Outcomes.done(store.saveJobs(
        QUEUE, List.of(keyed("b", KEY.as(Mode.DEBOUNCE)), job("c").withId(id)), NOON));

    assertThat(saved)
        .containsExactly(
            new SavedJob(id, SavedJob.Outcome.REPLACED, JobState.WAITING),
            new SavedJob(id, SavedJob.Outcome.EXISTING, JobState.WAITING));
    assertThat(get(id).name()).isEqualTo("b");
  }

  @Test
  @Rule("J434")
  void a_job_that_has_ended_elsewhere_takes_no_key_from_one_that_is_open() {
    JobDeduplication shortly = KEY.within(Duration.ofMillis(1));
    String open = save(keyed("a", shortly));
    NewJob ended = NewJob.of("b", DATA, keyed("b", KEY).options(), after(100))
        .with(JobUpdate.NONE.state(JobState.COMPLETED).completedAt(after(100)));

    assertThat(saved(ended).outcome()).isEqualTo(SavedJob.Outcome.STORED);
    assertThat(found("key", after(100))).isEmpty();
    update(open, JobUpdate.NONE.options(keyed("a", KEY).options()));

    assertThat(found("key", after(100))).contains(open);
    assertThat(save(keyed("c", KEY))).isEqualTo(open);
  }

  @Test
  @Rule("J435")
  void of_jobs_of_one_call_a_later_one_takes_the_key_whose_time_is_past() {
    NewJob old = keyed("a", KEY.within(Duration.ofMillis(1)));
    NewJob late = NewJob.of("b", DATA, keyed("b", KEY).options(), after(100));

    List<SavedJob> saved =
        Outcomes.done(store.saveJobs(QUEUE, List.of(old, late, keyed("c", KEY)), after(100)));

    assertThat(saved)
        .extracting(SavedJob::outcome)
        .containsExactly(
            SavedJob.Outcome.STORED, SavedJob.Outcome.STORED, SavedJob.Outcome.EXISTING);
    assertThat(saved.get(2).id()).isEqualTo(saved.get(1).id());
    assertThat(found("key", after(100))).contains(saved.get(1).id());
    assertThat(get(saved.get(0).id()).deduplicationKey()).isEqualTo("key");
  }

  @Test
  @Rule("J436")
  void a_job_that_comes_half_done_is_replaced_as_it_is_by_then() {
    JobDeduplication other = JobDeduplication.byKey("other");
    NewJob begun = keyed("a", KEY).with(JobUpdate.NONE.state(JobState.ACTIVE));
    NewJob later =
        keyed("b", other).with(JobUpdate.NONE.state(JobState.DELAYED).delayUntil(after(5_000)));

    List<SavedJob> saved = Outcomes.done(store.saveJobs(
        QUEUE,
        List.of(
            begun, later, keyed("c", KEY.as(Mode.REPLACE)), keyed("d", other.as(Mode.DEBOUNCE))),
        NOON));

    assertThat(saved.get(2))
        .isEqualTo(new SavedJob(saved.get(0).id(), SavedJob.Outcome.EXISTING, JobState.ACTIVE));
    assertThat(saved.get(3))
        .isEqualTo(new SavedJob(saved.get(1).id(), SavedJob.Outcome.REPLACED, JobState.WAITING));
    assertThat(get(saved.get(0).id()).name()).isEqualTo("a");
    assertThat(get(saved.get(1).id()).delayUntil()).isNull();
  }

  @Test
  @Rule("J437")
  void a_job_that_waits_for_children_is_not_replaced() {
    String id = save(keyed("a", KEY));
    update(id, JobUpdate.NONE.state(JobState.WAITING_CHILDREN).pendingChildrenCount(1));

    SavedJob saved = saved(keyed("b", KEY.as(Mode.REPLACE)));

    assertThat(saved)
        .isEqualTo(new SavedJob(id, SavedJob.Outcome.EXISTING, JobState.WAITING_CHILDREN));
    assertThat(get(id).name()).isEqualTo("a");
  }

  @Test
  @Rule("J483")
  void the_longest_key_in_the_queue_with_the_longest_name_is_one_like_any_other() {
    String queue = LongTexts.of(JobChecks.MOST_CHARACTERS, 1);
    String key = LongTexts.of(JobChecks.MOST_KEY_CHARACTERS, 2);
    String other = key.substring(2) + key.substring(0, 2);
    JobDeduplication longest = JobDeduplication.byKey(key);

    String id = Outcomes.done(store.saveJob(queue, keyed("a", longest), NOON));
    String second = Outcomes.done(store.saveJob(queue, keyed("b", longest), NOON));
    String another =
        Outcomes.done(store.saveJob(queue, keyed("c", JobDeduplication.byKey(other)), NOON));

    assertThat(second).isEqualTo(id);
    assertThat(another).isNotEqualTo(id);
    assertThat(holder(queue, key)).contains(id);
    assertThat(holder(queue, other)).contains(another);

    JobData first = Outcomes.done(store.fetchNextJob(FetchJobs.one(queue, WORKER, LOCK, NOON)))
        .orElseThrow();
    finish(first, BROKEN);
    assertThat(first.id()).isEqualTo(id);
    assertThat(holder(queue, key)).isEmpty();

    assertThat(Outcomes.done(store.retryJobs(queue, JobState.FAILED))).isEqualTo(1);
    assertThat(holder(queue, key)).contains(id);
    assertThat(Outcomes.done(store.saveJob(queue, keyed("d", longest), NOON))).isEqualTo(id);

    Outcomes.done(store.updateJob(queue, id, JobUpdate.NONE.progress(1)));
    Outcomes.done(store.updateJob(queue, another, JobUpdate.NONE.deduplicationKey(null)));
    assertThat(holder(queue, key)).contains(id);
    assertThat(holder(queue, other)).isEmpty();
  }

  private Optional<String> holder(String queue, String key) {
    return Outcomes.done(store.findByDeduplicationKey(queue, key, NOON)).map(JobData::id);
  }

  private static NewJob lastInFirstOut(String name, JobDeduplication deduplication) {
    return job(
        name, JobOptions.builder().deduplication(deduplication).lifo(true).build());
  }

  private static NewJob keyed(String name, JobDeduplication deduplication) {
    return job(name, JobOptions.builder().deduplication(deduplication).build());
  }

  private static NewJob delayed(String name, JobDeduplication deduplication, long millis) {
    return job(
        name,
        JobOptions.builder()
            .deduplication(deduplication)
            .delay(Duration.ofMillis(millis))
            .build());
  }

  private SavedJob saved(NewJob job) {
    return Outcomes.done(store.saveJobs(QUEUE, List.of(job), job.createdAt())).get(0);
  }

  private Optional<String> found(String key, Instant now) {
    return Outcomes.done(store.findByDeduplicationKey(QUEUE, key, now)).map(JobData::id);
  }
}
