package dev.runlane.conformance.jobs.view;

import static dev.runlane.conformance.kit.Given.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.run.Json;
import io.vertx.core.Promise;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Events reach the listeners of other stores. */
@DisplayName("events reach the listeners of other stores")
public abstract class JobEventSharingConformance extends JobStoreConformance {
  private final Queue<StoreEvent> heard = new ConcurrentLinkedQueue<>(); // any thread may add
  private final Promise<Void> last = Promise.promise();

  @Test
  @Rule("J265")
  void a_store_that_shares_events_says_so() {
    assertThat(store).isNotSameAs(other);
    assertThat(store.sharesEvents()).isTrue();
  }

  @Test
  @Rule("J265")
  void another_store_hears_what_was_published() {
    listen(other, QUEUE);
    StoreEvent event = StoreEvent.of(StoreEventType.JOB_WAITING, QUEUE, "a", NOON);

    Outcomes.done(store.publish(event));
    publishLast(QUEUE);

    assertThat(heard).contains(event);
  }

  @Test
  @Rule("J266")
  void the_publishing_store_does_not_hear_twice() {
    listen(store, QUEUE);
    Promise<Void> there = Promise.promise();
    Outcomes.done(other.subscribe(QUEUE, event -> {
      if (event.type() == StoreEventType.QUEUE_ERROR) {
        there.tryComplete();
      }
    }));
    StoreEvent event = StoreEvent.of(StoreEventType.JOB_WAITING, QUEUE, "a", NOON);

    Outcomes.done(store.publish(event));
    publishLast(QUEUE);
    Outcomes.done(there.future());

    assertThat(heard.stream().filter(event::equals)).hasSize(1);
  }

  @Test
  @Rule("J267")
  void an_event_of_any_size_in_a_queue_of_any_name_arrives() {
    String queueName = "\u00e4".repeat(255);
    listen(other, queueName);
    StoreEvent event = new StoreEvent(
        StoreEventType.JOB_COMPLETED,
        queueName,
        "j".repeat(255),
        Json.ofChecked("\"" + "x".repeat(20_000) + "\""),
        NOON);

    Outcomes.done(store.publish(event));
    publishLast(queueName);

    assertThat(heard).anySatisfy(each -> {
      assertThat(each.type()).isEqualTo(event.type());
      assertThat(each.jobId()).isEqualTo(event.jobId());
    });
  }

  @Test
  @Rule("J268")
  void the_cancellation_of_a_running_job_is_heard_elsewhere() {
    String id = running(job("a")).id();
    listen(other, QUEUE);

    Outcomes.done(store.cancelJob(QUEUE, id, NOON));
    publishLast(QUEUE);

    assertThat(heard)
        .anyMatch(each -> each.type() == StoreEventType.JOB_CANCELLED && id.equals(each.jobId()));
  }

  private void listen(JobStore where, String queueName) {
    Outcomes.done(where.subscribe(queueName, event -> {
      heard.add(event);
      if (event.type() == StoreEventType.QUEUE_ERROR) {
        last.tryComplete();
      }
    }));
  }

  /** An event behind all others, and waits until the listener has it. */
  private void publishLast(String queueName) {
    Outcomes.done(
        store.publish(new StoreEvent(StoreEventType.QUEUE_ERROR, queueName, null, null, NOON)));
    Outcomes.done(last.future());
  }
}
