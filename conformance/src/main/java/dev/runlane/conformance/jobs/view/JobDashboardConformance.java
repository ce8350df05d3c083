package dev.runlane.conformance.jobs.view;

import static dev.runlane.conformance.kit.Given.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.QueueInfo;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Queues are listed, jobs found in any of them and running ones cancelled. */
@DisplayName("queues are listed, jobs found in any of them and running ones cancelled")
public abstract class JobDashboardConformance extends JobStoreConformance {
  @Test
  @Rule("J085")
  void queues_that_have_jobs_are_listed() {
    assertThat(Outcomes.done(store.listQueues())).isEmpty();
    saveAll(job("a"), job("b"));
    Outcomes.done(store.saveJob(OTHER_QUEUE, job("c"), NOON));

    List<QueueInfo> queues = Outcomes.done(store.listQueues());

    assertThat(queues).extracting(QueueInfo::name).containsExactly(OTHER_QUEUE, QUEUE);
    assertThat(queues).noneMatch(QueueInfo::paused);
    assertThat(queues).extracting(QueueInfo::latestActivity).containsOnly(NOON);
    assertThat(queues.get(1).counts()).hasSize(6).containsEntry(JobState.WAITING, 2L);
  }

  @Test
  @Rule("J086")
  void a_paused_queue_is_listed_as_such() {
    save(job("a"));
    Outcomes.done(store.pauseJobName(QUEUE, "a"));
    assertThat(info().paused()).as("a name alone").isFalse();

    Outcomes.done(store.pauseJobName(QUEUE, JobStore.ALL));

    assertThat(info().paused()).isTrue();
  }

  @Test
  @Rule("J087")
  void a_listed_queue_has_the_counts_of_its_states() {
    saveAll(job("a"), job("b"));
    fetched(FetchOptions.ANY, after(70));

    assertThat(info().counts())
        .containsEntry(JobState.WAITING, 1L)
        .containsEntry(JobState.ACTIVE, 1L);
    assertThat(info().latestActivity()).isEqualTo(after(70));
  }

  @Test
  @Rule("J088")
  void a_job_is_found_by_its_id_alone() {
    String id = save(job("a"));
    Outcomes.done(store.appendLog(QUEUE, id, "line"));

    JobData found = Outcomes.done(store.findJobById(id)).orElseThrow();

    assertThat(found).isEqualTo(get(id));
    assertThat(found.logs()).containsExactly("line");
    assertThat(Outcomes.done(store.findJobById("nobody"))).isEmpty();
  }

  @Test
  @Rule("J089")
  void a_job_is_found_in_its_queue() {
    save(job("a").withId("one"));
    Outcomes.done(store.saveJob(OTHER_QUEUE, job("b").withId("two"), NOON));

    assertThat(Outcomes.done(store.findJobById("two")).orElseThrow().queueName())
        .isEqualTo(OTHER_QUEUE);
  }

  @Test
  @Rule("J090")
  void the_cancellation_of_a_running_job_is_noted_and_published() {
    Queue<StoreEvent> heard = new ConcurrentLinkedQueue<>(); // any thread may add
    Outcomes.done(store.subscribe(QUEUE, heard::add));
    String id = save(job("a"));
    assertThat(Outcomes.done(store.cancelJob(QUEUE, id, NOON))).isFalse();
    assertThat(heard).isEmpty();
    fetched();

    assertThat(Outcomes.done(store.cancelJob(QUEUE, id, after(5)))).isTrue();

    assertThat(get(id).cancelledAt()).isEqualTo(after(5));
    assertThat(stateOf(id)).isEqualTo(JobState.ACTIVE);
    assertThat(heard)
        .containsExactly(StoreEvent.of(StoreEventType.JOB_CANCELLED, QUEUE, id, after(5)));
  }

  @Test
  @Rule("J091")
  void an_unknown_job_is_not_cancelled() {
    String id = running(job("a")).id();

    assertThat(Outcomes.done(store.cancelJob(QUEUE, "nobody", NOON))).isFalse();

    assertThat(get(id).cancelledAt()).isNull();
  }

  @Test
  @Rule("J300")
  void jobs_that_repeat_are_counted() {
    saveAll(
        job("a"),
        job(
            "b",
            JobOptions.builder().repeat(JobRepeat.every(Duration.ofSeconds(1))).build()));

    assertThat(info().scheduledCount()).isEqualTo(1);
  }

  private QueueInfo info() {
    return Outcomes.done(store.listQueues()).stream()
        .filter(each -> each.name().equals(QUEUE))
        .findFirst()
        .orElseThrow();
  }
}
