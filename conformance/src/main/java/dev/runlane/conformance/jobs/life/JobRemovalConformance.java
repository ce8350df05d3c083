package dev.runlane.conformance.jobs.life;

import static dev.runlane.conformance.kit.Given.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishedJob;
import dev.runlane.jobs.store.JobChange;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Ended jobs are removed as their options say. */
@DisplayName("ended jobs are removed as their options say")
public abstract class JobRemovalConformance extends JobStoreConformance {
  @Test
  @Rule("J365")
  void a_job_is_removed_as_it_ends() {
    JobOptions atOnce = JobOptions.builder()
        .removeOnComplete(JobRemoval.atOnce())
        .removeOnFail(JobRemoval.atOnce())
        .build();

    FinishedJob completed = finished(running(job("a", atOnce)), DONE);
    FinishedJob failed = finished(running(job("b", atOnce)), BROKEN);

    assertThat(completed.job().removed()).isTrue();
    assertThat(completed.job().state()).isEqualTo(JobState.COMPLETED);
    assertThat(failed.job().removed()).isTrue();
    assertThat(failed.job().failedReason()).isEqualTo("no luck");
    assertThat(exists(completed.job().jobId())).isFalse();
    assertThat(exists(failed.job().jobId())).isFalse();
  }

  @Test
  @Rule("J365")
  void with_a_job_that_is_removed_as_it_ends_go_its_lines() {
    JobOptions atOnce = JobOptions.builder()
        .removeOnComplete(JobRemoval.atOnce())
        .removeOnFail(JobRemoval.atOnce())
        .build();
    for (JobOutcome outcome : List.of(DONE, BROKEN)) {
      JobData running = running(job("a", atOnce));
      Outcomes.done(store.appendLog(QUEUE, running.id(), "a line"));

      finished(running, outcome);

      assertThat(Outcomes.done(store.getLogs(QUEUE, running.id(), 0, 10))).isEmpty();
    }
  }

  @Test
  @Rule("J365")
  void each_end_has_its_own_removal() {
    JobOptions onComplete =
        JobOptions.builder().removeOnComplete(JobRemoval.atOnce()).build();
    JobOptions onFail = JobOptions.builder().removeOnFail(JobRemoval.atOnce()).build();

    assertThat(finished(running(job("a", onComplete)), BROKEN).job().removed()).isFalse();
    assertThat(finished(running(job("b", onFail)), DONE).job().removed()).isFalse();
    assertThat(finished(
                running(job(
                    "c", JobOptions.builder().removeOnFail(JobRemoval.never()).build())),
                BROKEN)
            .job()
            .removed())
        .isFalse();
  }

  @Test
  @Rule("J366")
  void the_last_that_ended_alike_are_kept() {
    JobOptions two =
        JobOptions.builder().removeOnComplete(JobRemoval.keeping(2)).build();
    String first = ended(job("a", two), DONE, after(1));
    String failed = ended(job("b", two), BROKEN, after(2));
    String second = ended(job("c", two), DONE, after(3));
    assertThat(exists(first)).isTrue();

    String third = ended(job("d", two), DONE, after(4));

    assertThat(exists(first)).isFalse();
    assertThat(exists(second)).isTrue();
    assertThat(exists(third)).isTrue();
    assertThat(exists(failed)).isTrue();
  }

  @Test
  @Rule("J367")
  void jobs_past_their_age_are_removed_by_a_sweep() {
    JobOptions minute = JobOptions.builder()
        .removeOnComplete(JobRemoval.after(Duration.ofMinutes(1)))
        .build();
    String first = ended(job("a", minute), DONE, after(1));
    String second = ended(job("b", minute), DONE, after(2));
    String failed = ended(job("c", minute), BROKEN, after(1));
    assertThat(expire(60_000, 10)).isZero();

    assertThat(expire(60_001, 10)).isEqualTo(1);

    assertThat(exists(first)).isFalse();
    assertThat(exists(second)).isTrue();
    assertThat(expire(900_000, 10)).isEqualTo(1);
    assertThat(exists(failed)).isTrue();
  }

  @Test
  @Rule("J367")
  void a_sweep_removes_no_more_than_its_limit_and_the_first_due_first() {
    JobOptions minute = JobOptions.builder()
        .removeOnFail(JobRemoval.after(Duration.ofMinutes(1)))
        .build();
    String second = ended(job("a", minute), BROKEN, after(2));
    String first = ended(job("b", minute), BROKEN, after(1));

    assertThat(expire(900_000, 1)).isEqualTo(1);

    assertThat(exists(first)).isFalse();
    assertThat(exists(second)).isTrue();
  }

  @Test
  @Rule("J367")
  void a_job_that_was_put_back_is_not_swept() {
    JobOptions minute = JobOptions.builder()
        .removeOnFail(JobRemoval.after(Duration.ofMinutes(1)))
        .build();
    String id = ended(job("a", minute), BROKEN, after(1));
    Outcomes.done(store.retryJobs(QUEUE, JobState.FAILED));

    assertThat(expire(900_000, 10)).isZero();

    assertThat(stateOf(id)).isEqualTo(JobState.WAITING);
  }

  @Test
  @Rule("J368")
  void a_cancelled_job_is_removed_as_a_failed_one() {
    String id =
        save(job("a", JobOptions.builder().removeOnFail(JobRemoval.atOnce()).build()));

    assertThat(exists(id)).isTrue();

    Outcomes.done(store.cancelOpenJob(QUEUE, id, NOON));

    assertThat(exists(id)).isFalse();
  }

  @Test
  @Rule("J425")
  void a_child_that_keeps_one_job_does_not_remove_its_parent() {
    for (String flow : List.of("a", "b", "c", "d")) {
      saveFlow(flow, keepingOne(), JobOptions.NONE);

      FinishedJob ended = finished(fetched(), BROKEN);

      assertThat(ended.job().removed()).isFalse();
      assertThat(ended.ancestors())
          .containsExactly(failed("parent of " + flow, "Child failed: no luck", false));
      assertThat(exists("child of " + flow)).isTrue();
      assertThat(stateOf("parent of " + flow)).isEqualTo(JobState.FAILED);
    }
  }

  @Test
  @Rule("J425")
  void a_parent_that_keeps_one_job_keeps_itself_and_not_its_child() {
    for (String flow : List.of("a", "b", "c", "d")) {
      saveFlow(flow, JobOptions.NONE, keepingOne());

      FinishedJob ended = finished(fetched(), BROKEN);

      assertThat(ended.job().removed()).isTrue();
      assertThat(ended.ancestors())
          .containsExactly(failed("parent of " + flow, "Child failed: no luck", false));
      assertThat(exists("child of " + flow)).isFalse();
      assertThat(stateOf("parent of " + flow)).isEqualTo(JobState.FAILED);
    }
  }

  @Test
  @Rule("J425")
  void a_job_that_keeps_one_keeps_itself_whatever_the_clock_says() {
    String late = ended(job("a"), BROKEN, after(9_000));

    String early = ended(job("b", keepingOne()), BROKEN, after(1_000));

    assertThat(exists(late)).isFalse();
    assertThat(exists(early)).isTrue();
  }

  @Test
  @Rule("J425")
  void of_ends_of_one_call_each_keeps_as_many_as_it_says() {
    List<String> before = List.of(
        ended(job("a"), BROKEN, after(1)),
        ended(job("b"), BROKEN, after(2)),
        ended(job("c"), BROKEN, after(3)));
    JobData one = running(job("d", keepingOne()));
    JobData five = running(
        job("e", JobOptions.builder().removeOnFail(JobRemoval.keeping(5)).build()));

    Outcomes.done(store.finishJobs(List.of(
        FinishJob.of(one.lock(), BROKEN, after(4)), FinishJob.of(five.lock(), BROKEN, after(5)))));

    assertThat(before).noneMatch(this::exists);
    assertThat(exists(one.id())).isTrue();
    assertThat(exists(five.id())).isTrue();
  }

  private static JobOptions keepingOne() {
    return JobOptions.builder().removeOnFail(JobRemoval.keeping(1)).build();
  }

  private static JobChange failed(String id, String reason, boolean removed) {
    return new JobChange(QUEUE, id, JobState.FAILED, reason, false, removed);
  }

  private void saveFlow(String flow, JobOptions ofChild, JobOptions ofParent) {
    String child = "child of " + flow;
    String parent = "parent of " + flow;
    Outcomes.done(store.saveFlow(
        List.of(
            new FlowNode(QUEUE, job("child", ofChild).withId(child).childOf(QUEUE, parent)),
            new FlowNode(QUEUE, job("parent", ofParent).withId(parent).parentOf(List.of(child)))),
        NOON));
  }

  private int expire(long atMillis, int limit) {
    return Outcomes.done(store.removeExpiredJobs(QUEUE, after(atMillis), limit));
  }
}
