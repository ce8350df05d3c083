package dev.runlane.jobs.queue.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.jobs.memory.MemoryJobStore;
import dev.runlane.jobs.queue.host.JobsHost;
import dev.runlane.jobs.queue.options.JobsOptions;
import dev.runlane.jobs.store.ForwardingJobStore;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What one hears who waits for a job that is removed as it ends, and what is read for that. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class JobWatchesTest {
  private static final Instant NOON = Instant.parse("2026-03-04T12:00:00Z");

  private final ManualTimers timers = new ManualTimers(ManualClock.at(NOON));
  private final JobsHost.SingleThread home = new JobsHost.SingleThread(timers);
  private final MemoryJobStore store = new MemoryJobStore();
  private final JobsOptions options = new JobsOptions();
  private final JobWatches watches =
      new JobWatches(home, store, new EventHub(store, home, 10), options);
  private Future<Optional<Json>> end = Future.failedFuture("nobody waits yet");

  @BeforeEach
  void wait_for_a_job_that_is_gone() {
    end = watches.await("mail", "job_1", Optional.empty());
    turn();
    assertThat(end.isComplete()).as("before its last event has had its time").isFalse();
  }

  @Test
  void an_event_that_comes_after_its_job_was_removed_tells_the_failure() {
    publish(StoreEventType.JOB_FAILED, Json.ofChecked("\"no\""));

    assertThat(end.cause()).hasMessage("no");
  }

  @Test
  void an_event_that_comes_after_its_job_was_removed_tells_the_return_value() {
    publish(StoreEventType.JOB_COMPLETED, Json.ofChecked("7"));

    assertThat(end.result().orElseThrow().text()).isEqualTo("7");
  }

  @Test
  void a_job_without_a_last_event_is_not_found_after_a_second() {
    timers.advance(Duration.ofSeconds(1));
    turn();

    assertThat(end.cause())
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.JOB_NOT_FOUND));
  }

  @Test
  void one_who_waits_reads_the_job_once_at_a_time_and_once_more_after_the_last_event() {
    List<Promise<Optional<JobData>>> reads = new ArrayList<>();
    JobStore slow = new ForwardingJobStore(store) {
      @Override
      public Future<Optional<JobData>> getJob(String queueName, String jobId) {
        reads.add(Promise.promise());
        return reads.get(reads.size() - 1).future();
      }
    };
    Future<Optional<Json>> other = new JobWatches(home, slow, new EventHub(slow, home, 10), options)
        .await("mail", "job_1", Optional.empty());
    turn();
    assertThat(reads).hasSize(1);

    for (int event = 0; event < 10; event++) {
      publish(StoreEventType.JOB_COMPLETED, Json.ofChecked("7"));
    }
    assertThat(reads).hasSize(1);
    reads.get(0).fail("no answer");
    turn();
    assertThat(reads).hasSize(2);
    assertThat(other.isComplete()).isFalse();
    reads.get(1).complete(Optional.empty());
    turn();

    assertThat(reads).hasSize(2);
    assertThat(other.result().orElseThrow().text()).isEqualTo("7");
  }

  @Test
  void one_who_has_heard_leaves_no_timer() {
    publish(StoreEventType.JOB_COMPLETED, Json.ofChecked("7"));
    int before = timers.pending();
    Future<Optional<Json>> bounded =
        watches.await("mail", "job_1", Optional.of(Duration.ofHours(1)));
    turn();

    publish(StoreEventType.JOB_COMPLETED, Json.ofChecked("7"));

    assertThat(bounded.succeeded()).isTrue();
    assertThat(timers.pending()).isEqualTo(before);
  }

  private void publish(StoreEventType type, Json data) {
    store.publish(new StoreEvent(type, "mail", "job_1", data, NOON));
    turn();
  }

  private void turn() {
    while (home.runNext()) {
      // until all is told
    }
  }
}
