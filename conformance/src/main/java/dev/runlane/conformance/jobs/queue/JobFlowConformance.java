package dev.runlane.conformance.jobs.queue;

import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Outcomes.assertConflict;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.NewJob;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.StorageConflictKind;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Flows are stored, and parents are told about their children one by one. */
@DisplayName("flows are stored, and parents are told about their children one by one")
public abstract class JobFlowConformance extends JobStoreConformance {
  @Test
  @Rule("J055")
  void a_flow_is_stored_over_several_queues() {
    List<String> ids = Outcomes.done(store.saveFlow(
        List.of(
            new FlowNode(OTHER_QUEUE, job("c").withId("c1").childOf(QUEUE, "p")),
            new FlowNode(OTHER_QUEUE, job("c").withId("c2").childOf(QUEUE, "p")),
            new FlowNode(QUEUE, job("p").withId("p").parentOf(List.of("c1", "c2")))),
        NOON));

    assertThat(ids).containsExactly("c1", "c2", "p");
    assertThat(stateOf("p")).isEqualTo(JobState.WAITING_CHILDREN);
    assertThat(get("p").pendingChildrenCount()).isEqualTo(2);
    assertThat(get("p").childrenIds()).containsExactly("c1", "c2");
    assertThat(get(OTHER_QUEUE, "c1").parentId()).isEqualTo("p");
    assertThat(get(OTHER_QUEUE, "c1").parentQueueName()).isEqualTo(QUEUE);
  }

  @Test
  @Rule("J056")
  void the_last_child_lets_the_parent_wait() {
    saveFlow("p", JobOptions.NONE, "c1", "c2");

    assertThat(Outcomes.done(store.notifyChildCompleted(QUEUE, "p", NOON)))
        .isEqualTo(JobState.WAITING_CHILDREN);
    assertThat(Outcomes.done(store.notifyChildCompleted(QUEUE, "p", NOON)))
        .isEqualTo(JobState.WAITING);

    assertThat(stateOf("p")).isEqualTo(JobState.WAITING);
    assertThat(get("p").pendingChildrenCount()).isZero();
  }

  @Test
  @Rule("J424")
  void a_parent_may_say_how_many_children_it_has_without_their_names() {
    NewJob counting = NewJob.builder("p", DATA, JobOptions.NONE, NOON)
        .state(JobState.WAITING_CHILDREN)
        .pendingChildrenCount(2)
        .build();
    String parent = save(counting);
    String inFlow = Outcomes.done(store.saveFlow(
            List.of(
                new FlowNode(OTHER_QUEUE, job("c").childOf(QUEUE, "nobody")),
                new FlowNode(QUEUE, counting)),
            NOON))
        .get(1);

    assertThat(get(inFlow).pendingChildrenCount()).isEqualTo(2);
    assertThat(Outcomes.done(store.notifyChildCompleted(QUEUE, parent, NOON)))
        .isEqualTo(JobState.WAITING_CHILDREN);
    assertThat(Outcomes.done(store.notifyChildCompleted(QUEUE, parent, NOON)))
        .isEqualTo(JobState.WAITING);
    assertThat(Outcomes.done(store.failParentOnChildFailure(QUEUE, inFlow, "no luck", NOON)))
        .isTrue();
  }

  @Test
  @Rule("J424")
  void a_job_that_waits_for_nobody_may_have_children() {
    String parent = save(job("p"));

    String child = save(job("c").childOf(QUEUE, parent));

    assertThat(ids(Outcomes.done(store.getChildrenJobs(QUEUE, parent)))).containsExactly(child);
    assertThat(stateOf(parent)).isEqualTo(JobState.WAITING);
  }

  @Test
  @Rule("J057")
  void an_unknown_parent_has_completed() {
    saveFlow("p", JobOptions.NONE, "c1");

    assertThat(Outcomes.done(store.notifyChildCompleted(QUEUE, "nobody", NOON)))
        .isEqualTo(JobState.COMPLETED);

    assertThat(get("p").pendingChildrenCount()).isEqualTo(1);
  }

  @Test
  @Rule("J058")
  void a_parent_fails_with_its_child() {
    saveFlow("p", JobOptions.NONE, "c1");

    assertThat(Outcomes.done(store.failParentOnChildFailure(QUEUE, "p", "no luck", after(5))))
        .isTrue();

    assertThat(stateOf("p")).isEqualTo(JobState.FAILED);
    assertThat(get("p").failedReason()).isEqualTo("Child failed: no luck");
    assertThat(get("p").failedAt()).isEqualTo(after(5));
  }

  @Test
  @Rule("J059")
  void an_unknown_parent_does_not_fail() {
    saveFlow("p", JobOptions.NONE, "c1");

    assertThat(Outcomes.done(store.failParentOnChildFailure(QUEUE, "nobody", "x", NOON)))
        .isFalse();

    assertThat(stateOf("p")).isEqualTo(JobState.WAITING_CHILDREN);
  }

  @Test
  @Rule("J060")
  void children_are_listed() {
    saveFlow("p", JobOptions.NONE, "c1", "c2");

    assertThat(ids(Outcomes.done(store.getChildrenJobs(QUEUE, "p")))).containsExactly("c1", "c2");
  }

  @Test
  @Rule("J060")
  void children_in_summaries_are_those_that_their_parent_names() {
    saveFlow("p", JobOptions.NONE, "c1", "c2", "c3");
    save(job("stray").withId("c0").childOf(QUEUE, "p"));
    String counting = save(job("q"));
    save(job("own").withId("c9").childOf(QUEUE, counting));

    List<JobData> children = summaries("p", 10);

    assertThat(ids(Outcomes.done(store.getChildrenJobs(QUEUE, "p")))).contains("c0");
    assertThat(ids(children)).containsExactly("c1", "c2", "c3");
    assertThat(children)
        .allMatch(child -> child.data().text().equals("null") && child.parentId() != null);
    assertThat(ids(summaries("p", 2))).containsExactly("c1", "c2");
    assertThat(ids(summaries(counting, 10))).containsExactly("c9");
    assertThat(summaries("c1", 10)).isEmpty();
    assertThat(summaries("nobody", 10)).isEmpty();
    assertFails(store.getChildrenSummaries(QUEUE, "p", 0), ErrorCode.VALIDATION_FAILED);
  }

  private List<JobData> summaries(String parent, int limit) {
    return Outcomes.done(store.getChildrenSummaries(QUEUE, parent, limit));
  }

  @Test
  @Rule("J061")
  void a_job_without_children_has_none() {
    saveFlow("p", JobOptions.NONE, "c1");

    assertThat(Outcomes.done(store.getChildrenJobs(QUEUE, "p"))).hasSize(1);
    assertThat(Outcomes.done(store.getChildrenJobs(QUEUE, "c1"))).isEmpty();
    assertThat(Outcomes.done(store.getChildrenJobs(OTHER_QUEUE, "p"))).isEmpty();
  }

  @Test
  @Rule("J270")
  void a_flow_is_stored_whole_or_not_at_all() {
    save(job("taken").withId("p"));

    assertConflict(
        store.saveFlow(
            List.of(
                new FlowNode(OTHER_QUEUE, job("c").withId("c1").childOf(QUEUE, "p")),
                new FlowNode(QUEUE, job("p").withId("p").parentOf(List.of("c1")))),
            NOON),
        StorageConflictKind.JOB_ID);

    assertThat(Outcomes.done(store.getJob(OTHER_QUEUE, "c1"))).isEmpty();
    assertThat(get("p").name()).isEqualTo("taken");
  }

  @Test
  @Rule("J271")
  void a_flow_neither_deduplicates_nor_repeats() {
    JobOptions keyed =
        JobOptions.builder().deduplication(JobDeduplication.byKey("key")).build();
    JobOptions repeating =
        JobOptions.builder().repeat(JobRepeat.every(Duration.ofSeconds(1))).build();

    for (JobOptions options : List.of(keyed, repeating)) {
      assertFails(
          store.saveFlow(List.of(new FlowNode(QUEUE, job("a", options).withId("x"))), NOON),
          ErrorCode.VALIDATION_FAILED);
    }

    assertThat(exists("x")).isFalse();
  }

  @Test
  @Rule("J272")
  void news_for_a_parent_that_does_not_wait_for_children_change_nothing() {
    saveFlow("p", JobOptions.NONE, "c1");
    Outcomes.done(store.notifyChildCompleted(QUEUE, "p", NOON));
    assertThat(Outcomes.done(store.notifyChildCompleted(QUEUE, "p", NOON)))
        .isEqualTo(JobState.COMPLETED);
    assertThat(stateOf("p")).isEqualTo(JobState.WAITING);

    for (JobState state : List.of(JobState.ACTIVE, JobState.COMPLETED, JobState.FAILED)) {
      update("p", JobUpdate.NONE.state(state).failedReason("own").pendingChildrenCount(1));
      JobData before = get("p");

      assertThat(Outcomes.done(store.notifyChildCompleted(QUEUE, "p", NOON)))
          .isEqualTo(JobState.COMPLETED);
      assertThat(Outcomes.done(store.failParentOnChildFailure(QUEUE, "p", "x", NOON)))
          .isFalse();

      assertThat(get("p")).isEqualTo(before);
    }
  }

  @Test
  @Rule("J272")
  void a_waiting_parent_can_still_fail_with_a_child() {
    saveFlow("p", JobOptions.NONE, "c1");
    Outcomes.done(store.notifyChildCompleted(QUEUE, "p", NOON));

    assertThat(Outcomes.done(store.failParentOnChildFailure(QUEUE, "p", "x", NOON)))
        .isTrue();

    assertThat(stateOf("p")).isEqualTo(JobState.FAILED);
  }

  @Test
  @Rule("J273")
  void of_competing_children_one_sees_the_parent_wait() {
    String[] children = new String[20];
    for (int i = 0; i < children.length; i++) {
      children[i] = "c" + i;
    }
    saveFlow("p", JobOptions.NONE, children);

    Race.Results<JobState> race =
        race(20, i -> () -> storeOf(i).notifyChildCompleted(QUEUE, "p", NOON));

    assertThat(race.failures()).isEmpty();
    assertThat(race.results().stream().filter(JobState.WAITING::equals)).hasSize(1);
    assertThat(race.results().stream().filter(JobState.WAITING_CHILDREN::equals))
        .hasSize(19);
    assertThat(get("p").pendingChildrenCount()).isZero();
  }

  @Test
  @Rule("J274")
  void a_parent_that_is_not_due_is_delayed_when_its_children_are_done() {
    saveFlow("p", JobOptions.builder().delay(Duration.ofSeconds(60)).build(), "c1");
    assertThat(stateOf("p")).isEqualTo(JobState.WAITING_CHILDREN);

    assertThat(Outcomes.done(store.notifyChildCompleted(QUEUE, "p", after(1_000))))
        .isEqualTo(JobState.DELAYED);

    assertThat(get("p").delayUntil()).isEqualTo(after(60_000));
    assertThat(Outcomes.done(store.promoteDelayedJobs(QUEUE, after(60_000)))).isEqualTo(1);
  }

  @Test
  @Rule("J275")
  void parents_are_listed_newest_first() {
    saveFlow("p1", JobOptions.NONE, "c1");
    saveFlow("p2", JobOptions.NONE, "c2");
    Outcomes.done(store.notifyChildCompleted(QUEUE, "p1", NOON));

    assertThat(ids(Outcomes.done(store.listFlowParents(Optional.empty(), 10))))
        .containsExactly("p2", "p1");
    assertThat(ids(Outcomes.done(store.listFlowParents(Optional.of(JobState.WAITING), 10))))
        .containsExactly("p1");
    assertThat(ids(Outcomes.done(store.listFlowParents(Optional.empty(), 1))))
        .containsExactly("p2");
  }
}
