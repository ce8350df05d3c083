package dev.runlane.conformance.jobs.life;

import static dev.runlane.conformance.kit.Given.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.DeadLetter;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.store.FinishedJob;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What failed for good is copied, and comes back when asked for. */
@DisplayName("what failed for good is copied, and comes back when asked for")
public abstract class JobDeadLetterConformance extends JobStoreConformance {
  private static final String DEAD = "dead";
  private static final JobOptions TO_DEAD =
      JobOptions.builder().deadLetterQueue(DEAD).attempts(3).priority(2).build();

  @Test
  @Rule("J370")
  void a_job_that_fails_for_good_is_copied_with_its_reason() {
    JobData running = running(job("a", TO_DEAD));

    JobRef copy = finished(running, BROKEN).deadLetter();

    JobData found = get(DEAD, Objects.requireNonNull(copy).jobId());
    assertThat(copy.queueName()).isEqualTo(DEAD);
    assertThat(found.name()).isEqualTo("a");
    assertThat(found.data()).isEqualTo(DATA);
    assertThat(found.state()).isEqualTo(JobState.WAITING);
    assertThat(found.options().effectivePriority()).isEqualTo(2);
    assertThat(found.createdAt()).isEqualTo(after(1_000));
    assertThat(found.deadLetter())
        .isEqualTo(new DeadLetter(QUEUE, running.id(), "no luck", after(1_000), TO_DEAD));
    assertThat(stateOf(running.id())).isEqualTo(JobState.FAILED);
  }

  @Test
  @Rule("J370")
  void only_what_failed_for_good_is_copied() {
    FinishedJob retried =
        finished(running(job("a", TO_DEAD)), new JobOutcome.Retry(NOON, "again", null));
    assertThat(retried.deadLetter()).isNull();
    assertThat(finished(fetched(), DONE).deadLetter()).isNull();
    assertThat(finished(running(job("b", TO_DEAD)), new JobOutcome.Cancelled()).deadLetter())
        .isNull();

    assertThat(Outcomes.done(store.countJobs(DEAD, JobState.WAITING))).isZero();
  }

  @Test
  @Rule("J371")
  void a_job_that_is_removed_as_it_fails_is_copied_too() {
    JobOptions removed = TO_DEAD.toBuilder().removeOnFail(JobRemoval.atOnce()).build();

    ended(job("a", removed), BROKEN, after(1));

    assertThat(Outcomes.done(store.countJobs(DEAD, JobState.WAITING))).isEqualTo(1);
  }

  @Test
  @Rule("J371")
  void a_parent_that_fails_with_its_child_is_copied() {
    saveFlow("p", TO_DEAD, "c");

    finished(fetched(), BROKEN);

    List<JobData> dead = Outcomes.done(store.listJobs(DEAD, JobState.WAITING, 0, 10));
    assertThat(dead).hasSize(1);
    assertThat(Objects.requireNonNull(dead.get(0).deadLetter()).jobId()).isEqualTo("p");
  }

  @Test
  @Rule("J372")
  void dead_letters_are_put_back_oldest_first() {
    ended(job("a", TO_DEAD), BROKEN, after(1));
    ended(job("b", TO_DEAD), BROKEN, after(2));
    Outcomes.done(store.saveJob(DEAD, job("own"), NOON));

    List<JobRef> back = Outcomes.done(store.redriveDeadLetters(DEAD, 1, after(9_000)));

    assertThat(back).hasSize(1);
    JobData job = get(back.get(0).queueName(), back.get(0).jobId());
    assertThat(job.queueName()).isEqualTo(QUEUE);
    assertThat(job.name()).isEqualTo("a");
    assertThat(job.data()).isEqualTo(DATA);
    assertThat(job.options()).isEqualTo(TO_DEAD);
    assertThat(job.state()).isEqualTo(JobState.WAITING);
    assertThat(job.attemptsMade()).isZero();
    assertThat(job.deadLetter()).isNull();
    assertThat(Outcomes.done(store.redriveDeadLetters(DEAD, 10, after(9_000)))).hasSize(1);
    assertThat(names(Outcomes.done(store.listJobs(DEAD, JobState.WAITING, 0, 10))))
        .as("what came there in another way")
        .containsExactly("own");
  }

  @Test
  @Rule("J373")
  void a_dead_letter_is_deduplicated_when_it_is_put_back() {
    JobOptions keyed =
        TO_DEAD.toBuilder().deduplication(JobDeduplication.byKey("key")).build();
    ended(job("a", keyed), BROKEN, after(1));
    String open = save(job("b", keyed));

    List<JobRef> back = Outcomes.done(store.redriveDeadLetters(DEAD, 10, after(9_000)));

    assertThat(back).containsExactly(new JobRef(QUEUE, open));
    assertThat(Outcomes.done(store.countJobs(DEAD, JobState.WAITING))).isZero();
    assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.WAITING))).isEqualTo(1);
  }

  @Test
  @Rule("J374")
  void competing_redrives_put_each_back_once() {
    for (int i = 0; i < 10; i++) {
      ended(job("a" + i, TO_DEAD), BROKEN, after(i + 1));
    }

    Race.Results<List<JobRef>> race =
        race(4, i -> () -> storeOf(i).redriveDeadLetters(DEAD, 10, after(9_000)));

    assertThat(race.failures()).isEmpty();
    assertThat(race.results().stream().flatMap(List::stream)).hasSize(10);
    assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.WAITING))).isEqualTo(10);
    assertThat(Outcomes.done(store.countJobs(DEAD, JobState.WAITING))).isZero();
  }
}
