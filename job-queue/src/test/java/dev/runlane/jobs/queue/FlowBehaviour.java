package dev.runlane.jobs.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.ChildFailurePolicy;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.job.JobSignal;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.StorageConflictKind;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Jobs that wait for other jobs. */
abstract class FlowBehaviour extends QueueBehaviour {
  private final List<String> ran = new CopyOnWriteArrayList<>();

  FlowBehaviour(Function<Vertx, Future<JobStore>> stores) {
    super(stores);
  }

  private static FlowJob flow(String name) {
    return FlowJob.of(name, "mail", name);
  }

  private static JobOptions onChildFailure(ChildFailurePolicy policy) {
    return JobOptions.builder().failParentOnChildFailure(policy).build();
  }

  /** Jobs whose name begins with "bad" fail. */
  private Future<JobResult> work(Job job, JobSignal signal) {
    ran.add(job.name());
    return job.name().startsWith("bad") ? failed(job.name() + " failed") : done(job.name());
  }

  @Test
  void a_parent_runs_after_its_children_and_reads_what_they_returned() {
    worker((job, signal) -> {
      ran.add(job.name());
      return job.getChildrenValues()
          .map(values -> JobResult.done(values.values().stream()
              .map(value -> value.text().replace("\"", ""))
              .sorted()
              .toList()
              .toString()));
    });

    FlowResult flow =
        await(jobs.flows().add(flow("root").after(flow("a").after(flow("b")), flow("c"))));

    assertThat(flow.job().state()).isEqualTo(JobState.WAITING_CHILDREN);
    assertThat(flow.children())
        .extracting(child -> child.job().state())
        .containsExactly(JobState.WAITING_CHILDREN, JobState.WAITING);
    assertThat(await(flow.job().waitUntilFinished()).orElseThrow().text())
        .isEqualTo("\"[[[]], []]\"");
    assertThat(ran).hasSize(4).endsWith("root");
    assertThat(ran.indexOf("b")).isLessThan(ran.indexOf("a"));
    Job child = fresh(flow.children().get(0).job());
    assertThat(await(child.getParent()).orElseThrow().id()).isEqualTo(flow.job().id());
    assertThat(await(flow.job().getDependencies())).hasSize(2);
  }

  @Test
  void a_parent_has_its_own_children_and_not_those_of_an_earlier_one_with_its_id() {
    worker(this::work);
    JobOptions named = JobOptions.builder().jobId("root").build();
    FlowResult earlier = await(jobs.flows().add(flow("root").with(named).after(flow("a"))));
    await(earlier.job().waitUntilFinished());
    await(earlier.job().remove());

    FlowResult anew = await(jobs.flows().add(flow("root").with(named).after(flow("b"))));
    await(anew.job().waitUntilFinished());

    Job parent = fresh(anew.job());
    assertThat(await(parent.getDependencies())).extracting(Job::name).containsExactly("b");
    assertThat(await(parent.getChildrenValues()).values())
        .extracting(Json::text)
        .containsExactly("\"b\"");
  }

  @Test
  void what_a_child_returned_goes_with_the_child() {
    worker(this::work);
    JobOptions goes = JobOptions.builder().removeOnComplete(JobRemoval.atOnce()).build();

    FlowResult flow = await(jobs.flows().add(flow("root").after(flow("a").with(goes), flow("b"))));
    await(flow.job().waitUntilFinished());

    assertThat(await(flow.job().getChildrenValues()).values())
        .extracting(Json::text)
        .containsExactly("\"b\"");
  }

  @Test
  void children_may_be_in_other_queues() {
    worker(this::work);
    jobs.worker("other", JobProcessor.of(this::work), options());

    FlowResult flow = await(jobs.flows().add(flow("root").after(FlowJob.of("child", "other", 1))));

    await(flow.job().waitUntilFinished());
    assertThat(ran).containsExactly("child", "root");
  }

  @Test
  void a_failed_child_fails_its_ancestors_at_any_depth() {
    worker(this::work);

    FlowResult flow =
        await(jobs.flows().add(flow("root").after(flow("a").after(flow("b").after(flow("bad"))))));

    assertThat(failure(flow.job().waitUntilFinished()))
        .hasMessage("Child failed: Child failed: Child failed: bad failed");
    assertThat(ran).containsExactly("bad");
  }

  @Test
  void a_child_tells_its_parent_only_after_its_last_attempt() {
    worker((job, signal) -> {
      ran.add(job.name() + job.attemptsMade());
      return job.name().equals("child") && job.attemptsMade() == 0 ? failed("once") : done();
    });

    FlowResult flow = await(jobs.flows()
        .add(flow("root")
            .after(flow("child").with(JobOptions.builder().attempts(2).build()))));

    await(flow.job().waitUntilFinished());
    assertThat(ran).containsExactly("child0", "child1", "root0");
  }

  @Test
  void a_parent_may_ignore_the_failure_of_a_child() {
    worker(this::work);

    FlowResult flow = await(jobs.flows()
        .add(flow("root")
            .with(onChildFailure(ChildFailurePolicy.IGNORE))
            .after(flow("bad"), flow("a"))));

    await(flow.job().waitUntilFinished());
    assertThat(ran).containsExactlyInAnyOrder("bad", "a", "root").endsWith("root");
  }

  @Test
  void a_parent_may_be_removed_when_a_child_fails() {
    worker(this::work);

    FlowResult flow = await(jobs.flows()
        .add(flow("root").with(onChildFailure(ChildFailurePolicy.REMOVE)).after(flow("bad"))));

    until(() -> flow.job().refresh().map(Optional::isEmpty));
    assertThat(ran).containsExactly("bad");
  }

  @Test
  void a_cancelled_and_a_removed_child_count_by_their_parents_policy() {
    FlowResult failing = await(jobs.flows().add(flow("root").after(flow("a").after(flow("b")))));
    FlowResult ignoring = await(jobs.flows()
        .add(flow("root").with(onChildFailure(ChildFailurePolicy.IGNORE)).after(flow("a"))));

    await(failing.children().get(0).children().get(0).job().cancel());
    await(ignoring.children().get(0).job().remove());

    assertThat(fresh(failing.job()).state()).isEqualTo(JobState.FAILED);
    assertThat(fresh(ignoring.job()).state()).isEqualTo(JobState.WAITING);
    worker(this::work);
    await(ignoring.job().waitUntilFinished());
  }

  @Test
  void a_parent_waits_for_its_own_delay_too() {
    worker(this::work);
    JobOptions later = JobOptions.builder().delay(Duration.ofMillis(80)).build();

    FlowResult flow = await(jobs.flows().add(flow("root").with(later).after(flow("a"))));

    await(flow.children().get(0).job().waitUntilFinished());
    await(flow.job().waitUntilFinished());
    assertThat(ran).containsExactly("a", "root");
  }

  @Test
  void a_flow_of_one_job_is_a_plain_job() {
    FlowResult flow = await(jobs.flows().add(flow("a")));

    assertThat(flow.children()).isEmpty();
    assertThat(fresh(flow.job()).state()).isEqualTo(JobState.WAITING);
  }

  @Test
  void a_malformed_flow_is_refused_whole() {
    JobOptions once =
        JobOptions.builder().deduplication(JobDeduplication.byKey("k")).build();
    JobOptions named = JobOptions.builder().jobId("same").build();
    FlowJob deepest = flow("leaf");
    for (int level = 1; level < FlowProducer.MOST_DEPTH; level++) {
      deepest = flow("level").after(deepest);
    }
    FlowJob deep = flow("level").after(deepest);

    assertFails(
        ErrorCode.VALIDATION_FAILED,
        jobs.flows().add(flow("root").after(flow("a").with(once))));
    assertFails(ErrorCode.VALIDATION_FAILED, jobs.flows().add(deep));
    JobOptions endless =
        JobOptions.builder().delay(Duration.ofSeconds(Long.MAX_VALUE)).build();
    assertFails(ErrorCode.VALIDATION_FAILED, jobs.flows().add(flow("root").with(endless)));
    FlowJob[] tenThousand = new FlowJob[10_000];
    Arrays.fill(tenThousand, flow("leaf"));
    assertFails(ErrorCode.VALIDATION_FAILED, jobs.flows().add(flow("root").after(tenThousand)));
    assertFails(
        ErrorCode.VALIDATION_FAILED,
        jobs.flows().add(flow("root").after(flow("a").with(named), flow("b").with(named))));
    await(queue.add("taken", 1, named));
    assertConflict(
        StorageConflictKind.JOB_ID,
        jobs.flows().add(flow("root").after(flow("a").with(named))));

    assertThat(await(queue.count(JobState.WAITING_CHILDREN))).isZero();
    assertThat(await(queue.count(JobState.WAITING))).isEqualTo(1);
    await(jobs.flows().add(deepest));
    assertThat(await(queue.count(JobState.WAITING_CHILDREN)))
        .isEqualTo(FlowProducer.MOST_DEPTH - 1);
  }
}
