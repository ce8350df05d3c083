package dev.runlane.conformance.transport;

import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.adapter.Subscription;
import dev.runlane.conformance.kit.EventRecorder;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.WakeupListener;
import dev.runlane.transport.WakeupSource;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Wakeups reach every subscribed process of their environment. */
@DisplayName("listening to wakeups")
public abstract class WakeupSourceConformance extends TransportConformance {
  private static final String POSSIBLE_LOSS = "possible loss";

  @Test
  @Rule("T12")
  void a_wakeup_published_after_subscribing_arrives_whole_on_the_context_that_subscribed() {
    Context context = contexts.get(1);
    Promise<Context> calledOn = Promise.promise();
    Promise<DeliveryMessage> arrived = Promise.promise();
    Outcomes.done(subscribe(context, transport, new WakeupListener() {
      @Override
      public void onWakeups(List<DeliveryMessage> messages) {
        calledOn.tryComplete(Vertx.currentContext());
        messages.forEach(arrived::tryComplete);
      }

      @Override
      public void onPossibleLoss() {}
    }));

    publish(List.of(message("run_1")));

    assertThat(Outcomes.done(calledOn.future())).isSameAs(context);
    assertThat(Outcomes.done(arrived.future())).isEqualTo(message("run_1"));
  }

  @Test
  @Rule("T12")
  void every_subscriber_of_every_transport_hears_every_wakeup() {
    TransportAdapter other = Outcomes.done(fixture.open());
    EventRecorder first = listen(contexts.get(0), transport);
    EventRecorder second = listen(contexts.get(1), transport);
    EventRecorder elsewhere = listen(contexts.get(2), other);

    publish(messages(50));

    for (DeliveryMessage message : messages(50)) {
      first.await(message.runId());
      second.await(message.runId());
      elsewhere.await(message.runId());
    }
  }

  @Test
  @Rule("T12")
  void wakeups_of_another_environment_are_not_heard() {
    EventRecorder heard = listen(contexts.get(0), transport);

    publish(List.of(new DeliveryMessage(OTHER_ENVIRONMENT, "run_1", fixture.queue(), NOON, null)));
    publish(List.of(message("run_marker")));

    heard.await("run_marker");
    assertThat(heard.all()).doesNotContain("run_1");
  }

  @Test
  @Rule("T12")
  void a_closed_subscription_hears_nothing_and_closes_twice() {
    EventRecorder closed = listen(contexts.get(0), transport);
    EventRecorder open = listen(contexts.get(0), transport);
    Outcomes.done(closed.close());
    Outcomes.done(closed.close());

    publish(messages(2));

    open.await("run_0");
    open.await("run_1");
    assertThat(closed.all()).doesNotContain("run_0", "run_1");
  }

  @Test
  @Rule({"T05", "T12"})
  void after_an_outage_a_subscriber_hears_the_next_wakeup_or_that_it_may_have_missed_some() {
    EventRecorder heard = listen(contexts.get(0), transport);
    Outcomes.done(fixture.breakDown());
    Outcomes.done(fixture.restore());

    publish(List.of(message("run_after")));
    heard.awaitAny("run_after", POSSIBLE_LOSS);
    publish(List.of(message("run_later")));

    heard.await("run_later");
  }

  private static EventRecorder listen(Context context, TransportAdapter adapter) {
    return EventRecorder.through(heard -> subscribe(context, adapter, new WakeupListener() {
      @Override
      public void onWakeups(List<DeliveryMessage> messages) {
        messages.forEach(message -> heard.record(message.runId()));
      }

      @Override
      public void onPossibleLoss() {
        heard.record(POSSIBLE_LOSS);
      }
    }));
  }

  private static Future<Subscription> subscribe(
      Context context, TransportAdapter adapter, WakeupListener listener) {
    WakeupSource source = adapter
        .wakeups()
        .orElseThrow(() -> new AssertionError("the transport hands out no wakeups"));
    Promise<Subscription> subscribed = Promise.promise();
    context.runOnContext(start -> source.subscribe(ENVIRONMENT, listener).onComplete(subscribed));
    return subscribed.future();
  }
}
