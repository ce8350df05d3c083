package dev.runlane.conformance.jobs.queue;

import static dev.runlane.conformance.kit.Given.NOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.ChildFailurePolicy;
import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.store.CancelResult;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.jobs.store.Obliterate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A flow resolves however its children end. */
@DisplayName("a flow resolves however its children end")
public abstract class JobFlowEndConformance extends JobStoreConformance {
  @Test
  @Rule("J340")
  void a_parent_waits_once_its_last_child_has_completed() {
    saveFlow("p", JobOptions.NONE, "c1", "c2");
    List<JobData> children = fetch(5, FetchOptions.ANY, NOON);

    assertThat(finished(children.get(0), DONE).ancestors()).isEmpty();
    assertThat(stateOf("p")).isEqualTo(JobState.WAITING_CHILDREN);
    assertThat(get("p").pendingChildrenCount()).isEqualTo(1);
    assertThat(finished(children.get(1), DONE).ancestors())
        .containsExactly(change("p", JobState.WAITING, null, false));

    assertThat(fetched().id()).isEqualTo("p");
  }

  @Test
  @Rule({"J340", "J274"})
  void a_parent_that_is_not_due_once_its_last_child_has_completed_is_delayed_until_it_is() {
    saveFlow("p", JobOptions.builder().delay(Duration.ofSeconds(60)).build(), "c1");

    assertThat(finished(fetched(), DONE).ancestors())
        .containsExactly(change("p", JobState.DELAYED, null, false));

    assertThat(get("p").delayUntil()).isEqualTo(after(60_000));
    assertThat(Outcomes.done(store.promoteDelayedJobs(QUEUE, after(60_000)))).isEqualTo(1);
    assertThat(fetched().id()).isEqualTo("p");
  }

  @Test
  @Rule({"J340", "J274"})
  void a_parent_whose_delay_is_over_once_its_last_child_has_completed_waits_without_one() {
    saveFlow("p", JobOptions.builder().delay(Duration.ofSeconds(5)).build(), "c1");

    change(finish(fetched(), DONE, after(6_000)));

    assertThat(stateOf("p")).isEqualTo(JobState.WAITING);
    assertThat(get("p").delayUntil()).isNull();
  }

  @Test
  @Rule("J340")
  void a_child_that_is_tried_again_is_not_done() {
    saveFlow("p", JobOptions.NONE, "c1");

    assertThat(finished(fetched(), new JobOutcome.Retry(NOON, "again", null)).ancestors())
        .isEmpty();
    assertThat(finished(fetched(), new JobOutcome.Snooze(NOON)).ancestors()).isEmpty();
    assertThat(get("p").pendingChildrenCount()).isEqualTo(1);
    finished(fetched(), DONE);

    assertThat(stateOf("p")).isEqualTo(JobState.WAITING);
  }

  @Test
  @Rule("J341")
  void a_parent_fails_with_its_child_where_it_says_so() {
    saveFlow("p", policy(ChildFailurePolicy.FAIL), "c1", "c2");

    assertThat(finished(fetched(), BROKEN).ancestors())
        .containsExactly(change("p", JobState.FAILED, "Child failed: no luck", false));

    assertThat(get("p").failedReason()).isEqualTo("Child failed: no luck");
    assertThat(get("p").failedAt()).isEqualTo(after(1_000));
  }

  @Test
  @Rule("J341")
  void a_failed_child_counts_as_done_where_the_parent_says_so() {
    saveFlow("p", policy(ChildFailurePolicy.IGNORE), "c1", "c2");

    finished(fetched(), BROKEN);
    assertThat(stateOf("p")).isEqualTo(JobState.WAITING_CHILDREN);
    finished(fetched(), BROKEN);

    assertThat(stateOf("p")).isEqualTo(JobState.WAITING);
  }

  @Test
  @Rule("J341")
  void a_parent_is_removed_with_its_failed_child_where_it_says_so() {
    saveFlow("p", policy(ChildFailurePolicy.REMOVE), "c1");

    List<JobChange> ancestors = finished(fetched(), BROKEN).ancestors();

    assertThat(ancestors).hasSize(1);
    assertThat(ancestors.get(0).jobId()).isEqualTo("p");
    assertThat(ancestors.get(0).removed()).isTrue();
    assertThat(exists("p")).isFalse();
  }

  @Test
  @Rule("J342")
  void a_failure_goes_up_through_all_parents_and_queues() {
    saveTower(JobOptions.NONE);

    List<JobChange> ancestors = finished(fetched(), BROKEN).ancestors();

    assertThat(ancestors)
        .extracting(JobChange::queueName, JobChange::jobId, JobChange::state)
        .containsExactly(
            tuple(OTHER_QUEUE, "p3", JobState.FAILED),
            tuple(QUEUE, "p2", JobState.FAILED),
            tuple(QUEUE, "p1", JobState.FAILED));
    assertThat(get("p1").failedReason())
        .isEqualTo("Child failed: Child failed: Child failed: no luck");
  }

  @Test
  @Rule("J342")
  void a_parent_that_ignores_stops_a_failure_on_its_way_up() {
    Outcomes.done(store.saveFlow(
        List.of(
            new FlowNode(QUEUE, job("c").withId("c").childOf(QUEUE, "p2")),
            new FlowNode(QUEUE, job("p2").withId("p2").parentOf(List.of("c")).childOf(QUEUE, "p1")),
            new FlowNode(
                QUEUE,
                job("p1", policy(ChildFailurePolicy.IGNORE)).withId("p1").parentOf(List.of("p2")))),
        NOON));

    finished(fetched(), BROKEN);

    assertThat(stateOf("p2")).isEqualTo(JobState.FAILED);
    assertThat(stateOf("p1")).isEqualTo(JobState.WAITING);
  }

  @Test
  @Rule("J342")
  void a_removed_parent_counts_for_its_own_parent() {
    Outcomes.done(store.saveFlow(
        List.of(
            new FlowNode(QUEUE, job("c").withId("c").childOf(QUEUE, "p2")),
            new FlowNode(
                QUEUE,
                job("p2", policy(ChildFailurePolicy.REMOVE))
                    .withId("p2")
                    .parentOf(List.of("c"))
                    .childOf(QUEUE, "p1")),
            new FlowNode(QUEUE, job("p1").withId("p1").parentOf(List.of("p2")))),
        NOON));

    finished(fetched(), BROKEN);

    assertThat(exists("p2")).isFalse();
    assertThat(stateOf("p1")).isEqualTo(JobState.FAILED);
  }

  @Test
  @Rule("J343")
  void a_cancelled_child_counts_for_its_parent() {
    saveFlow("p1", JobOptions.NONE, "c1");
    saveFlow("p2", policy(ChildFailurePolicy.IGNORE), "c2");

    CancelResult first = Outcomes.done(store.cancelOpenJob(QUEUE, "c1", after(5)));
    Outcomes.done(store.cancelOpenJob(QUEUE, "c2", after(5)));

    assertThat(first).isInstanceOf(CancelResult.Ended.class);
    assertThat(get("p1").failedReason()).isEqualTo("Child failed: Job cancelled");
    assertThat(stateOf("p1")).isEqualTo(JobState.FAILED);
    assertThat(stateOf("p2")).isEqualTo(JobState.WAITING);
  }

  @Test
  @Rule("J343")
  void a_cancelled_running_child_counts_for_its_parent_when_it_ends() {
    saveFlow("p", JobOptions.NONE, "c");
    JobData child = fetched();
    Outcomes.done(store.cancelOpenJob(QUEUE, "c", after(5)));
    assertThat(stateOf("p")).isEqualTo(JobState.WAITING_CHILDREN);

    finished(child, DONE);

    assertThat(stateOf("p")).isEqualTo(JobState.FAILED);
  }

  @Test
  @Rule("J343")
  void a_cancelled_parent_counts_for_its_own_parent() {
    saveTower(JobOptions.NONE);

    Outcomes.done(store.cancelOpenJob(OTHER_QUEUE, "p3", after(5)));

    assertThat(stateOf("p1")).isEqualTo(JobState.FAILED);
  }

  @Test
  @Rule("J344")
  void a_child_lost_with_its_workers_counts_for_its_parent() {
    Outcomes.done(store.saveFlow(
        List.of(
            new FlowNode(
                QUEUE,
                job("c", JobOptions.builder().maxStalls(0).build())
                    .withId("c")
                    .childOf(QUEUE, "p")),
            new FlowNode(QUEUE, job("p").withId("p").parentOf(List.of("c")))),
        NOON));

    finish(fetched(), new JobOutcome.Stalled(), NOON.plus(LOCK).plusMillis(1));

    assertThat(stateOf("c")).isEqualTo(JobState.FAILED);
    assertThat(stateOf("p")).isEqualTo(JobState.FAILED);
  }

  @Test
  @Rule("J344")
  void a_child_that_was_failed_from_outside_counts_for_its_parent() {
    saveFlow("p", JobOptions.NONE, "c");

    assertThat(Outcomes.done(store.failJob(QUEUE, "c", "enough", NOON))
            .orElseThrow()
            .ancestors())
        .hasSize(1);

    assertThat(get("p").failedReason()).isEqualTo("Child failed: enough");
  }

  @Test
  @Rule("J345")
  void a_removed_child_counts_by_the_policy_of_its_parent() {
    saveFlow("p1", policy(ChildFailurePolicy.FAIL), "c1");
    saveFlow("p2", policy(ChildFailurePolicy.IGNORE), "c2");
    saveFlow("p3", policy(ChildFailurePolicy.REMOVE), "c3");

    assertThat(Outcomes.done(store.removeJob(QUEUE, "c1", NOON)))
        .containsExactly(change("p1", JobState.FAILED, "Child failed: Job removed", false));
    assertThat(Outcomes.done(store.removeJob(QUEUE, "c2", NOON)))
        .containsExactly(change("p2", JobState.WAITING, null, false));
    Outcomes.done(store.removeJob(QUEUE, "c3", NOON));

    assertThat(exists("p3")).isFalse();
  }

  @Test
  @Rule("J345")
  void a_child_that_has_ended_is_removed_without_news() {
    saveFlow("p", JobOptions.NONE, "c1", "c2");
    finished(fetched(), DONE);

    assertThat(Outcomes.done(store.removeJob(QUEUE, "c1", NOON))).isEmpty();
    Outcomes.done(store.clean(QUEUE, JobState.COMPLETED, Duration.ZERO, after(90_000)));

    assertThat(stateOf("p")).isEqualTo(JobState.WAITING_CHILDREN);
    assertThat(get("p").pendingChildrenCount()).isEqualTo(1);
  }

  @Test
  @Rule("J345")
  void drained_children_count_for_a_parent_in_another_queue() {
    Outcomes.done(store.saveFlow(
        List.of(
            new FlowNode(OTHER_QUEUE, job("c").withId("c1").childOf(QUEUE, "p")),
            new FlowNode(OTHER_QUEUE, delayed("c", 9_000).withId("c2").childOf(QUEUE, "p")),
            new FlowNode(
                QUEUE,
                job("p", policy(ChildFailurePolicy.IGNORE))
                    .withId("p")
                    .parentOf(List.of("c1", "c2")))),
        NOON));

    assertThat(Outcomes.done(store.drain(OTHER_QUEUE, NOON)))
        .containsExactly(change("p", JobState.WAITING, null, false));

    assertThat(stateOf("p")).isEqualTo(JobState.WAITING);
  }

  @Test
  @Rule("J345")
  void a_dead_letter_that_a_drain_leaves_in_the_drained_queue_stays() {
    JobOptions options = JobOptions.builder().deadLetterQueue(OTHER_QUEUE).build();
    Outcomes.done(store.saveFlow(
        List.of(
            new FlowNode(OTHER_QUEUE, job("c").withId("c1").childOf(QUEUE, "p")),
            new FlowNode(QUEUE, job("p", options).withId("p").parentOf(List.of("c1")))),
        NOON));
    Outcomes.done(store.saveJob(OTHER_QUEUE, job("other"), NOON));

    Outcomes.done(store.drain(OTHER_QUEUE, NOON));

    assertThat(Outcomes.done(store.listJobs(OTHER_QUEUE, JobState.WAITING, 0, 10)))
        .extracting(JobData::name)
        .containsExactly("p");
  }

  @Test
  @Rule("J345")
  void obliterated_children_count_for_a_parent_in_another_queue() {
    Outcomes.done(store.saveFlow(
        List.of(
            new FlowNode(OTHER_QUEUE, job("c").withId("c1").childOf(QUEUE, "p")),
            new FlowNode(QUEUE, job("p").withId("p").parentOf(List.of("c1")))),
        NOON));
    Outcomes.done(store.fetchNextJob(FetchJobs.one(OTHER_QUEUE, WORKER, LOCK, NOON)));

    Outcomes.done(store.obliterate(OTHER_QUEUE, Obliterate.FORCED, NOON));

    assertThat(stateOf("p")).isEqualTo(JobState.FAILED);
  }

  @Test
  @Rule("J346")
  void a_child_counts_once_although_it_is_run_again() {
    saveFlow("p", policy(ChildFailurePolicy.IGNORE), "c1", "c2");
    JobData first = fetched();
    finished(first, BROKEN);
    Outcomes.done(store.retryJobs(QUEUE, JobState.FAILED));
    JobData again = fetched();
    assertThat(again.id()).isEqualTo(first.id());

    assertThat(finished(again, DONE).ancestors()).isEmpty();

    assertThat(stateOf("p")).isEqualTo(JobState.WAITING_CHILDREN);
    assertThat(get("p").pendingChildrenCount()).isEqualTo(1);
  }

  @Test
  @Rule("J440")
  void a_child_that_has_counted_and_is_run_again_does_not_count_when_it_is_removed() {
    saveFlow("p", policy(ChildFailurePolicy.IGNORE), "c1", "c2");
    String first = finished(fetched(), BROKEN).job().jobId();
    Outcomes.done(store.retryJobs(QUEUE, JobState.FAILED));

    assertThat(Outcomes.done(store.removeJob(QUEUE, first, NOON))).isEmpty();

    assertThat(stateOf("p")).isEqualTo(JobState.WAITING_CHILDREN);
    assertThat(get("p").pendingChildrenCount()).isEqualTo(1);
  }

  @Test
  @Rule("J440")
  void a_child_that_was_said_to_have_failed_counts_when_it_is_retried_and_completes() {
    saveFlow("p", JobOptions.NONE, "c1");
    update("c1", JobUpdate.NONE.state(JobState.FAILED).failedAt(NOON));
    Outcomes.done(store.retryJobs(QUEUE, JobState.FAILED));

    finished(fetched(), DONE);

    assertThat(stateOf("p")).isEqualTo(JobState.WAITING);
  }

  @Test
  @Rule("J347")
  void late_news_change_nothing() {
    saveFlow("p", JobOptions.NONE, "c1", "c2");
    List<JobData> children = fetch(2, FetchOptions.ANY, NOON);
    finished(children.get(0), BROKEN);
    JobData failed = get("p");

    assertThat(finished(children.get(1), DONE).ancestors()).isEmpty();
    assertThat(get("p")).isEqualTo(failed);

    saveFlow("q", JobOptions.NONE, "d1", "d2");
    List<JobData> more = fetch(2, FetchOptions.ANY, NOON);
    update("q", JobUpdate.NONE.state(JobState.COMPLETED).completedAt(NOON));
    JobData completed = get("q");
    assertThat(finished(more.get(0), BROKEN).ancestors()).isEmpty();
    assertThat(get("q")).isEqualTo(completed);
  }

  @Test
  @Rule("J480")
  void a_child_of_an_earlier_flow_does_not_count_for_a_parent_that_has_the_id_anew() {
    saveFlow("p", JobOptions.NONE, "old1", "old2", "old3");
    List<JobData> earlier = fetch(2, FetchOptions.ANY, NOON);
    Outcomes.done(store.removeJob(QUEUE, "p", NOON));
    saveFlow("p", JobOptions.NONE, "new");

    assertThat(finished(earlier.get(0), DONE).ancestors()).isEmpty();
    assertThat(finished(earlier.get(1), BROKEN).ancestors()).isEmpty();
    assertThat(Outcomes.done(store.removeJob(QUEUE, "old3", NOON))).isEmpty();

    assertThat(stateOf("p")).isEqualTo(JobState.WAITING_CHILDREN);
    assertThat(get("p").pendingChildrenCount()).isEqualTo(1);
    finished(fetched(), DONE);
    assertThat(stateOf("p")).isEqualTo(JobState.WAITING);
  }

  @Test
  @Rule("J348")
  void a_parent_that_fails_with_a_child_is_removed_as_its_options_say() {
    saveFlow("p", JobOptions.builder().removeOnFail(JobRemoval.atOnce()).build(), "c1");

    List<JobChange> ancestors = finished(fetched(), BROKEN).ancestors();

    assertThat(ancestors)
        .containsExactly(change("p", JobState.FAILED, "Child failed: no luck", true));
    assertThat(exists("p")).isFalse();
  }

  @Test
  @Rule("J348")
  void a_child_that_is_removed_as_it_completes_is_done() {
    Outcomes.done(store.saveFlow(
        List.of(
            new FlowNode(
                QUEUE,
                job(
                        "c",
                        JobOptions.builder()
                            .removeOnComplete(JobRemoval.atOnce())
                            .build())
                    .withId("c")
                    .childOf(QUEUE, "p")),
            new FlowNode(QUEUE, job("p").withId("p").parentOf(List.of("c")))),
        NOON));

    assertThat(finished(fetched(), DONE).job().removed()).isTrue();

    assertThat(exists("c")).isFalse();
    assertThat(stateOf("p")).isEqualTo(JobState.WAITING);
  }

  @Test
  @Rule("J349")
  void children_that_end_together_let_their_parent_wait_once() {
    String[] ids = new String[20];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = "c" + i;
    }
    saveFlow("p", policy(ChildFailurePolicy.IGNORE), ids);
    List<JobData> children = fetch(20, FetchOptions.ANY, NOON);

    Race.Results<FinishResult> race = race(
        20,
        i -> () -> storeOf(i)
            .finishJob(FinishJob.of(children.get(i).lock(), i % 2 == 0 ? DONE : BROKEN, after(1))));

    assertThat(race.failures()).isEmpty();
    assertThat(race.results().stream().flatMap(each -> change(each).ancestors().stream()))
        .containsExactly(change("p", JobState.WAITING, null, false));
    assertThat(get("p").pendingChildrenCount()).isZero();
  }

  @Test
  @Rule("J349")
  void many_children_may_end_in_one_call() {
    saveFlow("p", JobOptions.NONE, "c1", "c2", "c3");
    List<FinishJob> all = new ArrayList<>();
    fetch(3, FetchOptions.ANY, NOON)
        .forEach(child -> all.add(FinishJob.of(child.lock(), DONE, after(1))));

    Outcomes.done(store.finishJobs(all));

    assertThat(stateOf("p")).isEqualTo(JobState.WAITING);
  }

  /** c under p3 in the other queue, under p2 and p1 in the usual one; c alone can be handed out. */
  private void saveTower(JobOptions options) {
    Outcomes.done(store.saveFlow(
        List.of(
            new FlowNode(QUEUE, job("c", options).withId("c").childOf(OTHER_QUEUE, "p3")),
            new FlowNode(
                OTHER_QUEUE,
                job("p3", options).withId("p3").parentOf(List.of("c")).childOf(QUEUE, "p2")),
            new FlowNode(
                QUEUE,
                job("p2", options).withId("p2").parentOf(List.of("p3")).childOf(QUEUE, "p1")),
            new FlowNode(QUEUE, job("p1", options).withId("p1").parentOf(List.of("p2")))),
        NOON));
  }

  private static JobOptions policy(ChildFailurePolicy policy) {
    return JobOptions.builder().failParentOnChildFailure(policy).build();
  }

  private static JobChange change(
      String id, JobState state, @Nullable String reason, boolean removed) {
    return new JobChange(QUEUE, id, state, reason, false, removed);
  }
}
