package dev.runlane.conformance.jobs.view;

import static dev.runlane.conformance.kit.Given.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.run.Json;
import io.vertx.core.Future;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Events reach the listeners of their queue. */
@DisplayName("events reach the listeners of their queue")
public abstract class JobEventConformance extends JobStoreConformance {
  private static final StoreEvent EVENT =
      StoreEvent.of(StoreEventType.JOB_COMPLETED, QUEUE, "job-1", NOON);

  private static final StoreEvent ELSEWHERE =
      StoreEvent.of(StoreEventType.JOB_COMPLETED, OTHER_QUEUE, "job-1", NOON);

  private final Queue<StoreEvent> heard = new ConcurrentLinkedQueue<>(); // any thread may add
  private final Queue<StoreEvent> alsoHeard = new ConcurrentLinkedQueue<>();
  private final Consumer<StoreEvent> listener = heard::add;
  private final Consumer<StoreEvent> second = alsoHeard::add;

  @Test
  @Rule("J051")
  void a_listener_has_heard_when_publishing_is_done() {
    Outcomes.done(store.subscribe(QUEUE, listener));

    Outcomes.done(store.publish(EVENT));

    assertThat(heard).containsExactly(EVENT);
  }

  @Test
  @Rule("J052")
  void nobody_hears_after_the_queue_was_unsubscribed() {
    Outcomes.done(store.subscribe(QUEUE, listener));
    Outcomes.done(store.publish(EVENT));
    assertThat(heard).hasSize(1);

    Outcomes.done(store.unsubscribe(QUEUE));

    Outcomes.done(store.publish(EVENT));
    assertThat(heard).hasSize(1);
  }

  @Test
  @Rule("J052")
  void who_unsubscribes_one_queue_still_hears_the_others() {
    Outcomes.done(store.subscribe(QUEUE, listener));
    Outcomes.done(store.subscribe(OTHER_QUEUE, listener));
    Outcomes.done(store.subscribe(OTHER_QUEUE, second));

    Outcomes.done(store.unsubscribe(QUEUE));

    Outcomes.done(store.publishAll(List.of(EVENT, ELSEWHERE)));
    assertThat(heard).containsExactly(ELSEWHERE);
    assertThat(alsoHeard).containsExactly(ELSEWHERE);
  }

  @Test
  @Rule("J052")
  void nobody_hears_after_the_store_was_disconnected() {
    Outcomes.done(store.subscribe(QUEUE, listener));
    Outcomes.done(store.subscribe(OTHER_QUEUE, second));

    Outcomes.done(store.disconnect());
    Outcomes.done(store.connect());

    Outcomes.done(store.publishAll(List.of(EVENT, ELSEWHERE)));
    assertThat(heard).isEmpty();
    assertThat(alsoHeard).isEmpty();
    Outcomes.done(store.subscribe(QUEUE, listener));
    Outcomes.done(store.publish(EVENT));
    assertThat(heard).containsExactly(EVENT);
  }

  @Test
  @Rule("J053")
  void two_listeners_both_hear() {
    Outcomes.done(store.subscribe(QUEUE, listener));
    Outcomes.done(store.subscribe(QUEUE, second));

    Outcomes.done(store.publish(EVENT));

    assertThat(heard).containsExactly(EVENT);
    assertThat(alsoHeard).containsExactly(EVENT);
  }

  @Test
  @Rule("J054")
  void one_listener_leaves_and_the_other_stays() {
    Outcomes.done(store.subscribe(QUEUE, listener));
    Outcomes.done(store.subscribe(QUEUE, second));

    Outcomes.done(store.unsubscribe(QUEUE, listener));

    Outcomes.done(store.publish(EVENT));
    assertThat(heard).isEmpty();
    assertThat(alsoHeard).containsExactly(EVENT);
  }

  @Test
  @Rule("J054")
  void a_listener_that_leaves_one_queue_still_hears_the_others() {
    Outcomes.done(store.subscribe(QUEUE, listener));
    Outcomes.done(store.subscribe(OTHER_QUEUE, listener));

    Outcomes.done(store.unsubscribe(QUEUE, listener));

    Outcomes.done(store.publishAll(List.of(EVENT, ELSEWHERE)));
    assertThat(heard).containsExactly(ELSEWHERE);
  }

  @Test
  @Rule({"J051", "J054"})
  void a_listener_comes_and_leaves_with_the_call() {
    Future<Void> coming = store.subscribe(QUEUE, listener);
    Outcomes.done(store.publish(EVENT));
    Future<Void> leaving = store.unsubscribe(QUEUE, listener);
    Outcomes.done(store.publish(EVENT));
    Future<Void> comingBack = store.subscribe(QUEUE, listener);
    Outcomes.done(store.publish(EVENT));

    Outcomes.done(Future.all(coming, leaving, comingBack));
    assertThat(heard).hasSize(2);
  }

  @Test
  @Rule("J260")
  void a_listener_that_subscribed_twice_hears_once() {
    Outcomes.done(store.subscribe(QUEUE, listener));
    Outcomes.done(store.subscribe(QUEUE, listener));

    Outcomes.done(store.publish(EVENT));

    assertThat(heard).hasSize(1);
  }

  @Test
  @Rule("J261")
  void a_listener_that_throws_is_reported_and_stops_nobody() {
    IllegalStateException thrown = new IllegalStateException("listener");
    Outcomes.done(store.subscribe(QUEUE, event -> {
      throw thrown;
    }));
    Outcomes.done(store.subscribe(QUEUE, listener));

    Outcomes.done(store.publish(EVENT));

    assertThat(heard).containsExactly(EVENT);
    assertThat(listenerFailures).containsExactly(thrown);
  }

  @Test
  @Rule("J262")
  void a_listener_hears_its_own_queue() {
    Outcomes.done(store.subscribe(OTHER_QUEUE, listener));
    Outcomes.done(store.subscribe(QUEUE, second));

    Outcomes.done(store.publish(EVENT));

    assertThat(heard).isEmpty();
    assertThat(alsoHeard).hasSize(1);
  }

  @Test
  @Rule("J263")
  void several_events_are_heard_in_their_order_whatever_their_size() {
    String queueName = "q".repeat(255);
    List<StoreEvent> events = List.of(
        new StoreEvent(
            StoreEventType.JOB_COMPLETED,
            queueName,
            "a",
            Json.ofChecked("\"" + "x".repeat(20_000) + "\""),
            NOON),
        StoreEvent.of(StoreEventType.JOB_WAITING, queueName, "b", after(1)),
        new StoreEvent(StoreEventType.QUEUE_DRAINED, queueName, null, null, after(2)));
    Outcomes.done(store.subscribe(queueName, listener));

    Outcomes.done(store.publishAll(events));

    assertThat(heard).containsExactlyElementsOf(events);
  }

  @Test
  @Rule("J263")
  void events_of_several_queues_are_heard_in_their_order_each_as_often_as_it_is_published() {
    List<StoreEvent> events = List.of(
        EVENT,
        ELSEWHERE,
        StoreEvent.of(StoreEventType.JOB_WAITING, QUEUE, "b", after(1)),
        StoreEvent.of(StoreEventType.JOB_WAITING, OTHER_QUEUE, "a", NOON.minusMillis(1)),
        EVENT);
    Outcomes.done(store.subscribe(QUEUE, listener));
    Outcomes.done(store.subscribe(OTHER_QUEUE, listener));

    Outcomes.done(store.publishAll(events));

    assertThat(heard).containsExactlyElementsOf(events);
  }
}
