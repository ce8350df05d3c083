package dev.runlane.jobs.queue.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.jobs.memory.MemoryJobStore;
import dev.runlane.jobs.queue.host.JobsHost;
import dev.runlane.jobs.store.ForwardingJobStore;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** For how long a process is subscribed to queues: a queue for each customer may come and go for months. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class EventHubTest {
  private static final Instant NOON = Instant.parse("2026-03-04T12:00:00Z");
  private static final Duration NEARLY = EventHub.KEPT.minusMillis(1);

  private final ManualTimers timers = new ManualTimers(ManualClock.at(NOON));
  private final JobsHost.SingleThread home = new JobsHost.SingleThread(timers);
  private final MemoryJobStore memory = new MemoryJobStore();
  private final List<String> calls = new ArrayList<>();
  private final List<StoreEvent> heard = new ArrayList<>();
  private final JobStore store = new ForwardingJobStore(memory) {
    @Override
    public Future<Void> subscribe(String queueName, Consumer<StoreEvent> listener) {
      calls.add("subscribe " + queueName);
      return super.subscribe(queueName, listener);
    }

    @Override
    public Future<Void> unsubscribe(String queueName, Consumer<StoreEvent> listener) {
      calls.add("unsubscribe " + queueName);
      return super.unsubscribe(queueName, listener);
    }
  };
  private final EventHub hub = new EventHub(store, home, 10);

  @Test
  void a_queue_that_nobody_listens_to_for_a_minute_is_unsubscribed() {
    EventHub.Registration worker = hub.onQueue("mail", heard::add);
    EventHub.Registration waiting = hub.onJob("mail", "job_1", heard::add);
    worker.close();
    timers.advance(EventHub.KEPT);
    assertThat(calls).as("while somebody listens").containsExactly("subscribe mail");

    waiting.close();
    timers.advance(NEARLY);
    assertThat(calls).as("before the minute is over").containsExactly("subscribe mail");
    timers.advance(Duration.ofMillis(1));

    assertThat(calls).containsExactly("subscribe mail", "unsubscribe mail");
    assertThat(timers.pending()).isZero();
  }

  @Test
  void who_listens_after_that_is_subscribed_anew() {
    hub.onQueue("mail", heard::add).close();
    timers.advance(EventHub.KEPT);

    hub.onQueue("mail", heard::add);
    publish();

    assertThat(calls).containsExactly("subscribe mail", "unsubscribe mail", "subscribe mail");
    assertThat(heard).hasSize(1);
  }

  @Test
  void those_who_wait_for_one_job_after_the_other_share_a_subscription_and_a_timer() {
    for (int job = 0; job < 100; job++) {
      hub.onJob("mail", "job_" + job, heard::add).close();
      timers.advance(Duration.ofSeconds(1));
    }

    assertThat(calls).containsExactly("subscribe mail");
    assertThat(timers.pending()).isOne();
    timers.advance(NEARLY);
    assertThat(calls).containsExactly("subscribe mail", "unsubscribe mail");
  }

  @Test
  void a_subscription_that_is_asked_for_when_all_have_left_is_not_kept() {
    hub.onQueue("mail", heard::add).close();
    timers.advance(EventHub.KEPT);

    hub.listening("mail");
    timers.advance(EventHub.KEPT);

    assertThat(calls)
        .containsExactly(
            "subscribe mail", "unsubscribe mail", "subscribe mail", "unsubscribe mail");
  }

  @Test
  void what_is_closed_unsubscribes_no_queue_later() {
    hub.onQueue("mail", heard::add).close();

    hub.close();

    assertThat(timers.pending()).isZero();
    assertThat(calls).containsExactly("subscribe mail", "unsubscribe mail");
  }

  private void publish() {
    memory.publish(new StoreEvent(StoreEventType.JOB_WAITING, "mail", "job_1", null, NOON));
    while (home.runNext()) {
      // until all is told
    }
  }
}
