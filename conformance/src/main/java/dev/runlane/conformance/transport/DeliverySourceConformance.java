package dev.runlane.conformance.transport;

import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.TransportCapability;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Each wakeup is one consumer's to deal with, until one has. */
@DisplayName("consuming wakeups")
public abstract class DeliverySourceConformance extends TransportConformance {
  private final List<String> deployed = new ArrayList<>();

  /** Undeploys what the case left there, before its transports are closed. */
  @AfterEach
  final void undeployConsumers() {
    List.copyOf(deployed).forEach(this::undeploy);
  }

  @Test
  @Rule({"T06", "T13"})
  void a_wakeup_is_delivered_with_everything_it_says() {
    DeliveryMessage traced = new DeliveryMessage(
        OTHER_ENVIRONMENT,
        "run_\u00e4\ud83d\ude80",
        fixture.queue(),
        NOON,
        Map.of("traceparent", "00-abc-def-01"));
    ConsumingWorker worker = consuming(transport);

    publish(List.of(traced));

    worker.await(traced.runId());
    assertThat(worker.deliveries()).contains(traced);
  }

  @Test
  @Rule("T13")
  void every_wakeup_reaches_one_of_several_consumers() {
    TransportAdapter other = Outcomes.done(fixture.open());
    ConsumingWorker shared = new ConsumingWorker(fixture.queue());
    consume(transport, shared);
    consume(other, shared);
    consume(other, shared);

    publish(messages(50));

    messages(50).forEach(message -> shared.await(message.runId()));
  }

  @Test
  @Rule("T13")
  void wakeups_published_while_nobody_consumes_are_delivered_later_where_delivery_is_durable() {
    publish(List.of(message("run_before")));

    ConsumingWorker worker = consuming(transport);
    publish(List.of(message("run_after")));

    worker.await("run_after");
    if (transport.capabilities().contains(TransportCapability.DURABLE_DELIVERY)) {
      worker.await("run_before");
    }
  }

  @Test
  @Rule("T13")
  void a_wakeup_whose_delivery_failed_comes_again() {
    ConsumingWorker worker = new ConsumingWorker(fixture.queue()).failingOnce("run_1");
    consume(transport, worker);

    publish(List.of(message("run_1"), message("run_2")));

    worker.await("run_1"); // heard of once its delivery succeeded
    worker.await("run_2");
    assertThat(worker.deliveries().stream().filter(message("run_1")::equals))
        .hasSizeGreaterThanOrEqualTo(2);
  }

  @Test
  @Rule("T13")
  void a_wakeup_that_was_dealt_with_does_not_come_to_a_later_consumer() {
    ConsumingWorker first = new ConsumingWorker(fixture.queue());
    String consumer = consume(transport, first);
    publish(messages(5));
    messages(5).forEach(message -> first.await(message.runId()));
    undeploy(consumer);

    ConsumingWorker second = consuming(transport);
    publish(List.of(message("run_marker")));

    second.await("run_marker");
    assertThat(second.deliveries()).doesNotContainAnyElementsOf(messages(5));
  }

  @Test
  @Rule("T13")
  void undeploying_a_consumer_stops_its_worker_and_gives_it_nothing_more() {
    ConsumingWorker gone = new ConsumingWorker(fixture.queue());
    undeploy(consume(transport, gone));

    ConsumingWorker there = consuming(transport);
    publish(messages(5));

    messages(5).forEach(message -> there.await(message.runId()));
    assertThat(gone.isStopped()).isTrue();
    assertThat(gone.deliveries()).isEmpty();
  }

  @Test
  @Rule("T13")
  void undeploying_waits_for_a_delivery_under_way_and_acknowledges_it() {
    Promise<Void> held = Promise.promise();
    ConsumingWorker first = new ConsumingWorker(fixture.queue()).holding("run_1", held);
    String consumer = consume(transport, first);
    publish(List.of(message("run_1")));
    first.awaitBegin("run_1");

    first.onStop(() -> vertx().setTimer(50, fired -> held.complete()));
    undeploy(consumer);

    assertThat(held.future().isComplete()).isTrue();
    ConsumingWorker second = consuming(transport);
    publish(List.of(message("run_marker")));
    second.await("run_marker");
    assertThat(second.deliveries()).doesNotContain(message("run_1"));
  }

  @Test
  @Rule({"T05", "T13"})
  void after_an_outage_wakeups_are_delivered_again() {
    ConsumingWorker worker = consuming(transport);
    publish(List.of(message("run_before")));
    worker.await("run_before");

    Outcomes.done(fixture.breakDown());
    Outcomes.done(fixture.restore());
    publish(List.of(message("run_after")));

    worker.await("run_after");
  }

  private ConsumingWorker consuming(TransportAdapter adapter) {
    ConsumingWorker worker = new ConsumingWorker(fixture.queue());
    consume(adapter, worker);
    return worker;
  }

  private String consume(TransportAdapter adapter, ConsumingWorker worker) {
    String id = Outcomes.done(vertx()
        .deployVerticle(adapter
            .deliveries()
            .orElseThrow(() -> new AssertionError("the transport has no consumers"))
            .consumer(worker)));
    deployed.add(id);
    return id;
  }

  private void undeploy(String id) {
    deployed.remove(id);
    Outcomes.done(vertx().undeploy(id));
  }

  private Vertx vertx() {
    return contexts.get(0).owner();
  }
}
