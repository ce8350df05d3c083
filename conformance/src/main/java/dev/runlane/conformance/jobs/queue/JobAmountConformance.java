package dev.runlane.conformance.jobs.queue;

import static dev.runlane.conformance.kit.Given.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.ChildFailurePolicy;
import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.jobs.store.LockStatus;
import dev.runlane.jobs.store.Obliterate;
import dev.runlane.jobs.store.SavedJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Many jobs are treated like few: a store that works in parts forgets none of them, also where all are alike in the
 * instant that a part might go on from, and keeps a limit over all parts.
 */
@DisplayName("many jobs are treated like few")
public abstract class JobAmountConformance extends JobStoreConformance {
  /** More than the contract has done in one part = 1 100. */
  private static final int MANY = 1_100;

  /** Fewer than {@link #MANY}, and more than a part too. */
  private static final int LIMIT = 1_050;

  private static final Duration AGE = Duration.ofSeconds(5);
  private static final Instant OLD = NOON.plus(AGE).plusSeconds(2);
  private static final String DEAD = "dead";

  @Test
  @Rule("J470")
  void jobs_are_added_handed_out_and_ended_in_one_call_each_and_answer_i_belongs_to_job_i() {
    List<NewJob> jobs = new ArrayList<>(jobs(i -> job("job " + i)));
    jobs.set(LIMIT, job("again").withId("id_3"));

    List<SavedJob> saved = Outcomes.done(store.saveJobs(QUEUE, jobs, NOON));
    List<JobData> running = fetch(MANY, FetchOptions.ANY, NOON);
    List<JobLock> locks = new ArrayList<>(running.stream().map(JobData::lock).toList());
    locks.add(LIMIT, new JobLock(QUEUE, "id_" + LIMIT, "nobody's"));
    List<LockStatus> extended = Outcomes.done(store.extendLocks(locks, LOCK, NOON));
    List<FinishResult> ended = Outcomes.done(store.finishJobs(
        locks.stream().map(lock -> FinishJob.of(lock, DONE, after(1_000))).toList()));

    assertThat(saved.stream().map(SavedJob::id))
        .containsExactlyElementsOf(Race.times(MANY, i -> i == LIMIT ? "id_3" : "id_" + i));
    assertThat(saved.get(LIMIT).outcome()).isEqualTo(SavedJob.Outcome.EXISTING);
    assertThat(ids(running)).containsExactlyElementsOf(idsBut(LIMIT));
    assertThat(extended.get(LIMIT)).isEqualTo(LockStatus.LOST);
    assertThat(Collections.frequency(extended, LockStatus.HELD)).isEqualTo(MANY - 1);
    assertThat(ended.get(LIMIT)).isInstanceOf(FinishResult.LockLost.class);
    assertThat(ended.stream()
            .filter(FinishResult.Finished.class::isInstance)
            .map(each -> change(each).job().jobId()))
        .containsExactlyElementsOf(idsBut(LIMIT));
  }

  @Test
  @Rule("J472")
  void all_delayed_jobs_are_promoted_that_are_due_at_one_instant() {
    Outcomes.done(store.saveJobs(QUEUE, jobs(i -> delayed("due", 1_000)), NOON));
    save(delayed("later", 1_001));

    assertThat(Outcomes.done(store.promoteDelayedJobs(QUEUE, after(1_000)))).isEqualTo(MANY);

    assertCount(QUEUE, JobState.WAITING, MANY);
    assertCount(QUEUE, JobState.DELAYED, 1);
  }

  @Test
  @Rule("J472")
  void all_delayed_jobs_are_promoted_whenever_they_are_due() {
    Outcomes.done(store.saveJobs(QUEUE, jobs(i -> delayed("later", 1_000 + i / 600)), NOON));

    assertThat(Outcomes.done(store.promoteJobs(QUEUE))).isEqualTo(MANY);

    assertCount(QUEUE, JobState.WAITING, MANY);
  }

  @Test
  @Rule("J473")
  void all_jobs_that_ended_at_one_instant_are_put_back() {
    givenEnded(JobOptions.NONE, DONE);

    assertThat(Outcomes.done(store.retryJobs(QUEUE, JobState.COMPLETED))).isEqualTo(MANY);

    assertCount(QUEUE, JobState.WAITING, MANY);
  }

  @Test
  @Rule("J473")
  void all_jobs_are_counted_and_put_back_that_failed_at_one_instant_and_fit() {
    givenEnded(JobOptions.NONE, BROKEN);
    ended(job("other"), BROKEN, after(1_000));
    FailedJobsFilter named = new FailedJobsFilter("a", null, null, null, false);

    assertThat(Outcomes.done(store.countJobs(QUEUE, named))).isEqualTo(MANY);
    assertThat(Outcomes.done(store.retryJobs(QUEUE, named))).isEqualTo(MANY);

    assertCount(QUEUE, JobState.WAITING, MANY);
    assertCount(QUEUE, JobState.FAILED, 1);
  }

  @Test
  @Rule("J474")
  void all_jobs_are_cleaned_that_ended_at_one_instant() {
    givenEnded(JobOptions.NONE, DONE);
    String later = ended(job("later"), DONE, after(1_001));

    assertThat(Outcomes.done(
            store.clean(QUEUE, JobState.COMPLETED, Duration.ofMillis(999), after(2_000))))
        .isEqualTo(MANY);

    assertThat(ids(Outcomes.done(store.listJobs(QUEUE, JobState.COMPLETED, 0, 10))))
        .containsExactly(later);
  }

  @Test
  @Rule("J476")
  void all_drained_jobs_are_gone_and_count_for_a_parent_elsewhere() {
    givenChildrenOf("parent");
    Outcomes.done(store.saveJob(QUEUE, delayed("delayed", 1_000), NOON));

    List<JobChange> changed = Outcomes.done(store.drain(QUEUE, NOON));

    assertThat(Outcomes.done(store.getJobCounts(QUEUE)).values()).containsOnly(0L);
    assertParentWaits("parent", changed);
  }

  @Test
  @Rule("J477")
  void all_obliterated_jobs_are_gone_and_count_for_a_parent_elsewhere() {
    givenChildrenOf("parent");

    List<JobChange> changed = Outcomes.done(store.obliterate(QUEUE, Obliterate.IF_IDLE, NOON));

    assertThat(Outcomes.done(store.getJobCounts(QUEUE)).values()).containsOnly(0L);
    assertParentWaits("parent", changed);
  }

  @Test
  @Rule({"J475", "J478"})
  void a_limit_holds_over_all_parts_and_the_next_call_does_the_rest() {
    givenEnded(
        JobOptions.builder()
            .deadLetterQueue(DEAD)
            .removeOnFail(JobRemoval.after(AGE))
            .build(),
        BROKEN);

    List<JobRef> back = Outcomes.done(store.redriveDeadLetters(DEAD, LIMIT, OLD));
    int removed = Outcomes.done(store.removeExpiredJobs(QUEUE, OLD, LIMIT));

    assertThat(back).hasSize(LIMIT).doesNotHaveDuplicates();
    assertCount(QUEUE, JobState.WAITING, LIMIT);
    assertCount(DEAD, JobState.WAITING, MANY - LIMIT);
    assertThat(removed).isEqualTo(LIMIT);
    assertCount(QUEUE, JobState.FAILED, MANY - LIMIT);
    assertThat(Outcomes.done(store.redriveDeadLetters(DEAD, LIMIT, OLD))).hasSize(MANY - LIMIT);
    assertThat(Outcomes.done(store.removeExpiredJobs(QUEUE, OLD, LIMIT))).isEqualTo(MANY - LIMIT);
    assertCount(QUEUE, JobState.WAITING, MANY);
    assertCount(QUEUE, JobState.FAILED, 0);
  }

  private static List<NewJob> jobs(IntFunction<NewJob> made) {
    return Race.times(MANY, i -> made.apply(i).withId("id_" + i));
  }

  private static List<String> idsBut(int left) {
    return IntStream.range(0, MANY)
        .filter(i -> i != left)
        .mapToObj(i -> "id_" + i)
        .toList();
  }

  /** Many jobs of one name that ended at one instant. */
  private void givenEnded(JobOptions options, JobOutcome outcome) {
    Outcomes.done(store.saveJobs(QUEUE, jobs(i -> job("a", options)), NOON));
    List<JobData> running = fetch(MANY, FetchOptions.ANY, NOON);
    assertThat(running).hasSize(MANY);
    Outcomes.done(store.finishJobs(running.stream()
        .map(each -> FinishJob.of(each.lock(), outcome, after(1_000)))
        .toList()));
  }

  /** Many children, alone in their queue, whose parent is in the other one and counts them as done when they go. */
  private void givenChildrenOf(String parent) {
    List<NewJob> children = jobs(i -> job("child").childOf(OTHER_QUEUE, parent));
    JobOptions ignoring =
        JobOptions.builder().failParentOnChildFailure(ChildFailurePolicy.IGNORE).build();
    Outcomes.done(store.saveFlow(
        Stream.concat(
                children.stream().map(child -> new FlowNode(QUEUE, child)),
                Stream.of(new FlowNode(
                    OTHER_QUEUE,
                    job("parent", ignoring)
                        .withId(parent)
                        .parentOf(Race.times(MANY, i -> "id_" + i)))))
            .toList(),
        NOON));
  }

  private void assertParentWaits(String parent, List<JobChange> changed) {
    assertThat(changed)
        .containsExactly(new JobChange(OTHER_QUEUE, parent, JobState.WAITING, null, false, false));
    assertThat(get(OTHER_QUEUE, parent).state()).isEqualTo(JobState.WAITING);
  }

  private void assertCount(String queue, JobState state, int count) {
    assertThat(Outcomes.done(store.countJobs(queue, state))).isEqualTo(count);
  }
}
