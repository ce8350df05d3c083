package dev.runlane.conformance.jobs.life;

import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Outcomes.assertConflict;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.LongTexts;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.JobChecks;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Jobs are stored, read, changed and removed. */
@DisplayName("jobs are stored, read, changed and removed")
public abstract class JobCrudConformance extends JobStoreConformance {
  @Test
  @Rule("J001")
  void a_saved_job_reads_back() {
    JobData job = get(save(job("charge")));

    assertThat(job.name()).isEqualTo("charge");
    assertThat(job.data()).isEqualTo(DATA);
    assertThat(job.state()).isEqualTo(JobState.WAITING);
    assertThat(job.queueName()).isEqualTo(QUEUE);
    assertThat(job.createdAt()).isEqualTo(NOON);
  }

  @Test
  @Rule("J002")
  void three_jobs_are_saved_in_one_call() {
    List<String> ids =
        Outcomes.done(store.saveBulk(QUEUE, List.of(job("a"), job("b"), job("c")), NOON));

    assertThat(ids).hasSize(3).doesNotHaveDuplicates();
    assertThat(ids.stream().map(this::get))
        .extracting(JobData::name)
        .containsExactly("a", "b", "c");
    assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.WAITING))).isEqualTo(3);
  }

  @Test
  @Rule("J003")
  void a_changed_progress_is_visible() {
    String id = save(job("a"));

    update(id, JobUpdate.NONE.progress(50));

    assertThat(get(id).progress()).isEqualTo(50);
  }

  @Test
  @Rule("J004")
  void a_removed_job_is_gone() {
    String id = save(job("a"));
    assertThat(exists(id)).isTrue();

    Outcomes.done(store.removeJob(QUEUE, id, NOON));

    assertThat(exists(id)).isFalse();
    assertThat(isNothingFetched()).isTrue();
  }

  @Test
  @Rule("J005")
  void an_unknown_job_is_absent() {
    save(job("a"));

    assertThat(exists("nobody")).isFalse();
    assertThat(exists(save(job("b").withId("somebody")))).isTrue();
  }

  @Test
  @Rule("J006")
  void removing_an_unknown_job_changes_nothing() {
    String id = save(job("a"));

    assertThat(Outcomes.done(store.removeJob(QUEUE, "nobody", NOON))).isEmpty();

    assertThat(exists(id)).isTrue();
  }

  @Test
  @Rule("J007")
  void updating_an_unknown_job_changes_nothing() {
    String id = save(job("a"));

    update("nobody", JobUpdate.NONE.progress(50));

    assertThat(exists("nobody")).isFalse();
    assertThat(get(id).progress()).isZero();
  }

  @Test
  @Rule("J008")
  void an_empty_list_of_jobs_has_no_ids() {
    save(job("a"));

    assertThat(Outcomes.done(store.saveBulk(QUEUE, List.of(), NOON))).isEmpty();

    assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.WAITING))).isEqualTo(1);
  }

  @Test
  @Rule("J009")
  void an_explicit_id_is_kept() {
    assertThat(save(job("a").withId("my-job"))).isEqualTo("my-job");
    assertThat(get("my-job").id()).isEqualTo("my-job");
  }

  @Test
  @Rule("J010")
  void what_is_read_shares_nothing_with_the_store() {
    String id = save(job("a"));
    Outcomes.done(store.appendLog(QUEUE, id, "first"));
    JobData read = get(id);

    assertThatThrownBy(() -> read.logs().add("second"))
        .isInstanceOf(UnsupportedOperationException.class);

    assertThat(get(id).logs()).containsExactly("first");
    assertThat(get(id)).isEqualTo(read);
  }

  @Test
  @Rule("J011")
  void replaced_options_change_the_priority() {
    String low = save(prioritised("low", 5));
    String high = save(prioritised("high", 5));
    assertThat(fetched().id()).isEqualTo(low);
    update(low, JobUpdate.NONE.state(JobState.WAITING).lockUntil(null).lockedBy(null));

    update(high, JobUpdate.NONE.options(JobOptions.builder().priority(1).build()));

    assertThat(fetched().id()).isEqualTo(high);
    assertThat(fetched().id()).isEqualTo(low);
  }

  @Test
  @Rule("J200")
  void every_field_that_can_be_written_reads_back() {
    String id = save(job("a"));
    Instant time = Instant.parse("2026-03-04T05:06:07.089Z");
    JobUpdate updates = JobUpdate.NONE
        .data(Json.ofChecked("[1]"))
        .state(JobState.FAILED)
        .options(JobOptions.builder().attempts(7).priority(1.5).build())
        .attemptsMade(3)
        .progress(33.3)
        .returnvalue(Json.ofChecked("\"back\""))
        .failedReason("why")
        .deduplicationKey("key")
        .logs(List.of("one", "two"))
        .stacktrace(List.of("at One"))
        .processedAt(time)
        .completedAt(time.plusMillis(1))
        .failedAt(time.plusMillis(2))
        .delayUntil(time.plusMillis(3))
        .cancelledAt(time.plusMillis(4))
        .lockUntil(time.plusMillis(5))
        .lockedBy("me")
        .parentId("p")
        .parentQueueName("pq")
        .pendingChildrenCount(2)
        .childrenIds(List.of("c1", "c2"))
        .groupId("g")
        .discarded(true);
    JobData before = get(id);

    update(id, updates);

    assertThat(get(id)).isEqualTo(updates.applyTo(before));
    assertThat(before.progress()).isZero();
  }

  @Test
  @Rule("J201")
  void only_the_fields_given_are_written_and_null_is_a_value() {
    String id = save(job("a"));
    update(id, JobUpdate.NONE.failedReason("why").lockedBy("me").returnvalue(DATA));

    update(id, JobUpdate.NONE.failedReason(null));

    assertThat(get(id).failedReason()).isNull();
    assertThat(get(id).lockedBy()).isEqualTo("me");
    assertThat(get(id).returnvalue()).isEqualTo(DATA);
  }

  @Test
  @Rule("J202")
  void an_update_in_an_expected_state_is_written() {
    String id = save(job("a"));

    Outcomes.done(store.updateJob(
        QUEUE, id, JobUpdate.NONE.progress(7), List.of(JobState.DELAYED, JobState.WAITING)));

    assertThat(get(id).progress()).isEqualTo(7);
  }

  @Test
  @Rule("J202")
  void an_update_in_another_state_fails_and_writes_nothing() {
    String id = save(job("a"));

    RunlaneException failure = assertConflict(
        store.updateJob(QUEUE, id, JobUpdate.NONE.progress(7), List.of(JobState.ACTIVE)),
        StorageConflictKind.JOB_STATE);

    assertThat(failure.meta())
        .containsEntry("jobId", id)
        .containsEntry("currentState", "waiting")
        .containsEntry("expectedStates", "active");
    assertThat(get(id).progress()).isZero();
  }

  @Test
  @Rule("J202")
  void an_unknown_job_is_in_no_expected_state() {
    RunlaneException failure = assertConflict(
        store.updateJob(QUEUE, "nobody", JobUpdate.NONE.progress(7), List.of(JobState.WAITING)),
        StorageConflictKind.JOB_STATE);

    assertThat(failure.meta()).containsEntry("currentState", "unknown");
  }

  @Test
  @Rule("J203")
  void of_competing_updates_from_one_state_one_is_written() {
    String id = save(job("a"));

    Race.Results<Void> race = race(
        8,
        i -> () -> storeOf(i)
            .updateJob(
                QUEUE,
                id,
                JobUpdate.NONE.state(JobState.DELAYED).progress(i).delayUntil(NOON),
                List.of(JobState.WAITING)));

    assertThat(race.failures()).hasSize(7);
    assertThat(race.all().stream().filter(Race.Ended::isWon)).hasSize(1);
    assertThat(stateOf(id)).isEqualTo(JobState.DELAYED);
  }

  @Test
  @Rule("J204")
  void a_job_with_an_id_that_is_taken_is_not_stored() {
    save(job("first").withId("one"));

    List<SavedJob> saved = Outcomes.done(
        store.saveJobs(QUEUE, List.of(job("second").withId("one"), job("third")), NOON));

    assertThat(saved.get(0))
        .isEqualTo(new SavedJob("one", SavedJob.Outcome.EXISTING, JobState.WAITING));
    assertThat(saved.get(1).outcome()).isEqualTo(SavedJob.Outcome.STORED);
    assertThat(get("one").name()).isEqualTo("first");
    assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.WAITING))).isEqualTo(2);
  }

  @Test
  @Rule("J205")
  void an_id_belongs_to_its_queue() {
    save(job("here").withId("one"));
    Outcomes.done(store.saveJob(OTHER_QUEUE, job("there").withId("one"), NOON));

    assertThat(get("one").name()).isEqualTo("here");
    assertThat(get(OTHER_QUEUE, "one").name()).isEqualTo("there");
    Outcomes.done(store.removeJob(QUEUE, "one", NOON));
    assertThat(get(OTHER_QUEUE, "one").name()).isEqualTo("there");
  }

  @Test
  @Rule("J206")
  void a_job_may_come_half_done() {
    NewJob job = job("a")
        .with(JobUpdate.NONE
            .state(JobState.COMPLETED)
            .completedAt(after(5))
            .returnvalue(DATA)
            .logs(List.of("line")));

    JobData read = get(save(job));

    assertThat(read.state()).isEqualTo(JobState.COMPLETED);
    assertThat(read.completedAt()).isEqualTo(after(5));
    assertThat(read.returnvalue()).isEqualTo(DATA);
    assertThat(read.logs()).containsExactly("line");
  }

  @Test
  @Rule("J207")
  void a_queue_may_have_a_name_of_255_characters() {
    String name = "\u00e4".repeat(255);

    String id = Outcomes.done(store.saveJob(name, job("a"), NOON));

    assertThat(get(name, id).queueName()).isEqualTo(name);
  }

  @Test
  @Rule("J484")
  void all_names_of_a_job_may_be_as_long_as_their_limits_at_once() {
    String queue = LongTexts.of(JobChecks.MOST_CHARACTERS, 1);
    String dead = LongTexts.of(JobChecks.MOST_CHARACTERS, 2);
    NewJob longest = NewJob.of(
            LongTexts.of(JobChecks.MOST_CHARACTERS, 3),
            DATA,
            JobOptions.builder()
                .group(new JobGroup(LongTexts.of(JobChecks.MOST_CHARACTERS, 4), Integer.MAX_VALUE))
                .deadLetterQueue(dead)
                .build(),
            NOON)
        .withId(LongTexts.of(JobChecks.MOST_CHARACTERS, 5));
    String id = Outcomes.done(store.saveJob(queue, longest, NOON));
    String worker = LongTexts.of(JobChecks.MOST_CHARACTERS, 6);

    JobData running = Outcomes.done(store.fetchNextJob(FetchJobs.one(queue, worker, LOCK, NOON)))
        .orElseThrow();
    Outcomes.done(
        store.appendLog(running.lock(), LongTexts.of(JobChecks.MOST_LINE_CHARACTERS / 2, 7)));
    finish(running, new JobOutcome.Failed(LongTexts.of(10_000, 8), LongTexts.of(10_000, 9)));
    Outcomes.done(store.pauseJobName(queue, longest.name()));

    JobData ended = get(queue, id);
    assertThat(ended.state()).isEqualTo(JobState.FAILED);
    assertThat(ended.groupId()).isEqualTo(longest.groupId());
    assertThat(ended.logs()).containsExactly(LongTexts.of(JobChecks.MOST_LINE_CHARACTERS / 2, 7));
    assertThat(Outcomes.done(store.getPausedJobNames(queue))).containsExactly(longest.name());
    assertThat(Outcomes.done(store.countJobs(dead, JobState.WAITING))).isEqualTo(1);
  }

  @Test
  @Rule("J208")
  void connecting_twice_is_harmless() {
    String id = save(job("a"));

    Outcomes.done(store.connect());

    assertThat(exists(id)).isTrue();
  }
}
