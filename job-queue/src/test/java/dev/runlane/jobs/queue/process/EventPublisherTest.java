package dev.runlane.jobs.queue.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.jobs.memory.MemoryJobStore;
import dev.runlane.jobs.queue.host.JobsHost;
import dev.runlane.jobs.queue.options.JobsOptions;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import dev.runlane.timing.Randomness;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Which events of jobs are told. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class EventPublisherTest {
  private static final Instant NOON = Instant.parse("2026-03-04T12:00:00Z");

  private final JobsHost.SingleThread home =
      new JobsHost.SingleThread(new ManualTimers(ManualClock.at(NOON)));
  private final MemoryJobStore store = new MemoryJobStore();
  private final List<StoreEvent> heard = new ArrayList<>();

  @BeforeEach
  void listen() {
    assertThat(store.subscribe("mail", heard::add).succeeded()).isTrue();
  }

  private void publish(JobsOptions options, List<StoreEvent> events) {
    new EventPublisher(store, home, Randomness.seeded(1), options).publish(events);
    while (home.runNext()) {
      // until all is told
    }
  }

  private static StoreEvent event(StoreEventType type, int job) {
    return new StoreEvent(type, "mail", "job_" + job, null, NOON);
  }

  @Test
  void those_that_the_options_leave_out_are_not_told() {
    publish(
        new JobsOptions().setPublishedEvents(Set.of(StoreEventType.JOB_CANCELLED)),
        List.of(
            event(StoreEventType.JOB_WAITING, 1),
            event(StoreEventType.JOB_CANCELLED, 1),
            event(StoreEventType.JOB_COMPLETED, 2)));

    assertThat(heard).extracting(StoreEvent::type).containsExactly(StoreEventType.JOB_CANCELLED);
  }

  @Test
  void of_more_than_may_wait_the_oldest_are_dropped() {
    publish(
        new JobsOptions().setPendingEvents(3),
        IntStream.range(0, 10)
            .mapToObj(job -> event(StoreEventType.JOB_WAITING, job))
            .toList());

    assertThat(heard).extracting(StoreEvent::jobId).containsExactly("job_7", "job_8", "job_9");
  }
}
