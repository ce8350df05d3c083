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
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import java.util.Objects;
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
    assertThat(store).isNotSameAs(other());
    assertThat(store.sharesEvents()).isTrue();
  }

  @Test
  @Rule("J265")
  void another_store_hears_what_was_published() {
    listen(other(), QUEUE);
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
    Outcomes.done(other().subscribe(QUEUE, event -> {
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
    listen(other(), queueName);
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
    listen(other(), QUEUE);

    Outcomes.done(store.cancelJob(QUEUE, id, NOON));
    publishLast(QUEUE);

    assertThat(heard)
        .anyMatch(each -> each.type() == StoreEventType.JOB_CANCELLED && id.equals(each.jobId()));
  }

  @Test
  @Rule("J269")
  void who_leaves_one_queue_hears_the_others_from_elsewhere() {
    listen(other(), QUEUE);
    listen(other(), OTHER_QUEUE);
    StoreEvent missed = StoreEvent.of(StoreEventType.JOB_WAITING, QUEUE, "a", NOON);
    StoreEvent event = StoreEvent.of(StoreEventType.JOB_WAITING, OTHER_QUEUE, "a", NOON);

    Outcomes.done(other().unsubscribe(QUEUE));

    Outcomes.done(store.publishAll(List.of(missed, event)));
    publishLast(OTHER_QUEUE);
    assertThat(heard).contains(event).doesNotContain(missed);
  }

  @Test
  @Rule("J269")
  void a_store_that_disconnects_leaves_the_listeners_of_others() {
    JobStore leaving = Outcomes.done(fixture.open(options()));
    Queue<StoreEvent> heardThere = new ConcurrentLinkedQueue<>();
    Outcomes.done(leaving.subscribe(QUEUE, heardThere::add));
    listen(other(), QUEUE);
    StoreEvent event = StoreEvent.of(StoreEventType.JOB_WAITING, QUEUE, "a", NOON);

    Outcomes.done(leaving.disconnect());

    Outcomes.done(store.publish(event));
    publishLast(QUEUE);
    assertThat(heard).contains(event);
    assertThat(heardThere).isEmpty();
  }

  @Test
  @Rule("J269")
  void who_comes_back_hears_from_elsewhere_again() {
    listen(other(), QUEUE);
    Future<Void> leaving = other().unsubscribe(QUEUE);
    listen(other(), QUEUE);
    Outcomes.done(leaving);
    StoreEvent event = StoreEvent.of(StoreEventType.JOB_WAITING, QUEUE, "a", NOON);

    Outcomes.done(store.publish(event));
    publishLast(QUEUE);

    assertThat(heard).containsOnlyOnce(event);
  }

  @Test
  @Rule("J269")
  void several_events_arrive_in_their_order_whatever_their_size() {
    listen(other(), QUEUE);
    Json large = Json.ofChecked("\"" + "x".repeat(20_000) + "\"");

    Outcomes.done(store.publishAll(List.of(
        StoreEvent.of(StoreEventType.JOB_WAITING, QUEUE, "c", after(1)),
        new StoreEvent(StoreEventType.JOB_COMPLETED, QUEUE, "b", large, NOON),
        StoreEvent.of(StoreEventType.JOB_WAITING, QUEUE, "a", NOON))));
    publishLast(QUEUE);

    assertThat(heard.stream().map(StoreEvent::jobId).filter(Objects::nonNull))
        .containsExactly("c", "b", "a");
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
