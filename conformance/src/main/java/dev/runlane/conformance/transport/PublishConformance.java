package dev.runlane.conformance.transport;

import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.run.ErrorCode.VALIDATION_FAILED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.run.Environment;
import dev.runlane.run.QueuePolicy;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.WakeupPublishOutcome;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Wakeups reach the provider as they were given, each with its own outcome. */
@DisplayName("publishing wakeups")
public abstract class PublishConformance extends TransportConformance {
  @Test
  @Rule("T01")
  void there_are_as_many_outcomes_as_attempts_and_every_wakeup_arrives() {
    List<DeliveryMessage> messages = messages(10);

    List<WakeupPublishOutcome> outcomes = publish(messages);

    assertThat(outcomes).hasSize(10).allMatch(WakeupPublishOutcome::isPublished);
    assertThat(received()).containsExactlyInAnyOrderElementsOf(messages);
  }

  @Test
  @Rule("T02")
  void an_empty_command_has_no_outcomes_and_publishes_nothing() {
    assertThat(publish(List.of())).isEmpty();
    assertThat(received()).isEmpty();
  }

  @Test
  @Rule("T03")
  void a_command_larger_than_any_limit_of_the_provider_arrives_whole() {
    List<DeliveryMessage> messages = messages(1_000);

    List<WakeupPublishOutcome> outcomes = publish(messages);

    assertThat(outcomes).hasSize(1_000).allMatch(WakeupPublishOutcome::isPublished);
    assertThat(received()).containsExactlyInAnyOrderElementsOf(messages);
  }

  @Test
  @Rule({"T06", "T11"})
  void a_wakeup_arrives_with_everything_it_says_and_nothing_else() {
    DeliveryMessage traced = new DeliveryMessage(
        OTHER_ENVIRONMENT,
        "run_\u00e4\ud83d\ude80'\"\\",
        fixture.queue(),
        Instant.parse("2026-03-04T12:00:00.123457Z"),
        Map.of("traceparent", "00-0af7651916cd43dd8448eb211c80319c-01", "tracestate", "a=b,c=d"));
    DeliveryMessage plain = message("run_1");

    publish(List.of(traced, plain));

    assertThat(received()).containsExactlyInAnyOrder(traced, plain);
  }

  @Test
  @Rule("T06")
  void wakeups_of_the_longest_ids_arrive() {
    String longest = "x".repeat(128);
    DeliveryMessage message =
        new DeliveryMessage(new Environment("e".repeat(64)), longest, fixture.queue(), NOON, null);

    assertThat(publish(List.of(message))).allMatch(WakeupPublishOutcome::isPublished);

    assertThat(received()).containsExactly(message);
  }

  @Test
  @Rule("T07")
  void a_queue_without_a_binding_is_refused_where_bindings_are_listed() {
    List<String> bound =
        transport.queues().orElse(List.of()).stream().map(QueuePolicy::queue).toList();
    DeliveryMessage elsewhere = new DeliveryMessage(ENVIRONMENT, "run_2", "unbound", NOON, null);
    PublishWakeups command = command(List.of(message("run_1"), elsewhere));

    if (transport.queues().isPresent()) {
      assertThat(bound).contains(fixture.queue()).doesNotContain("unbound");
      assertFails(transport.publishWakeups(command), VALIDATION_FAILED);
      assertThat(received()).isEmpty();
    } else {
      assertThat(Outcomes.done(transport.publishWakeups(command))).hasSize(2);
    }
  }

  @Test
  @Rule("T08")
  void a_malformed_command_fails_its_future_and_publishes_nothing() {
    DeliveryMessage good = message("run_1");
    for (PublishWakeups malformed : List.of(
        attempts("a:b", "tok", good),
        attempts("msg_1", "", good),
        attempts("msg_1", "tok", message("a:b")),
        attempts(
            "msg_1",
            "tok",
            new DeliveryMessage(new Environment("a:b"), "run_1", fixture.queue(), NOON, null)),
        attempts("msg_1", "tok", new DeliveryMessage(ENVIRONMENT, "run_1", "a:b", NOON, null)),
        attempts("msg_good", "tok", good))) {
      assertFails(transport.publishWakeups(malformed), VALIDATION_FAILED);
    }
    assertThat(received()).isEmpty();
  }

  @Test
  @Rule("T01")
  void competing_publishers_lose_nothing() {
    List<DeliveryMessage> messages = messages(40);

    Race.Results<List<WakeupPublishOutcome>> race = Race.run(
        contexts,
        Race.times(
            8, i -> () -> transport.publishWakeups(command(messages.subList(i * 5, i * 5 + 5)))));

    assertThat(race.failures()).isEmpty();
    assertThat(race.results().stream().flatMap(List::stream))
        .hasSize(40)
        .allMatch(WakeupPublishOutcome::isPublished);
    assertThat(received()).containsExactlyInAnyOrderElementsOf(messages);
  }

  /** A command whose first attempt is in order and whose second is the one given. */
  private PublishWakeups attempts(String messageId, String token, DeliveryMessage message) {
    return new PublishWakeups(List.of(
        new PublishWakeups.Attempt("msg_good", "tok", message("run_good")),
        new PublishWakeups.Attempt(messageId, token, message)));
  }
}
