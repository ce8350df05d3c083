package dev.runlane.conformance.provider;

import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.adapter.Subscription;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.run.ErrorCode;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.WakeupListener;
import dev.runlane.transport.WakeupPublishOutcome;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What publishers and subscribers see of each fault. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ProviderFaultsTest {
  private final MemoryProvider provider = new MemoryProvider();
  private final TransportAdapter transport = provider.open();
  private final List<String> heard = new ArrayList<>();

  @Test
  void some_of_a_command_are_refused() {
    provider.faults().refuseNext(2);

    assertThat(Outcomes.done(publish("run_1", "run_2", "run_3")))
        .extracting(WakeupPublishOutcome::isPublished)
        .containsExactly(false, false, true);
    assertThat(received()).containsExactly("run_3");
  }

  @Test
  void a_lost_answer_is_an_outage_to_the_publisher_though_the_wakeup_was_taken() {
    provider.faults().loseAnswersOfNext(1);

    Outcomes.assertFails(publish("run_1"), ErrorCode.TRANSPORT_UNAVAILABLE);
    Outcomes.done(publish("run_1")); // once more, as publishers do

    assertThat(received()).containsExactly("run_1", "run_1");
  }

  @Test
  void a_doubled_wakeup_is_heard_twice() {
    subscribe();
    provider.faults().doubleNext(1);

    assertThat(Outcomes.done(publish("run_1", "run_2"))).hasSize(2);

    assertThat(heard).containsExactlyInAnyOrder("run_1", "run_1", "run_2");
  }

  @Test
  void a_delayed_wakeup_is_taken_at_once_and_heard_later() {
    subscribe();
    provider.faults().delayNext(1);

    assertThat(Outcomes.done(publish("run_1", "run_2")))
        .allMatch(WakeupPublishOutcome::isPublished);
    assertThat(heard).containsExactly("run_2");
    Outcomes.done(provider.faults().deliverDelayed());

    assertThat(heard).containsExactly("run_2", "run_1");
  }

  @Test
  void a_silent_provider_takes_nothing_and_never_answers() {
    provider.faults().fallSilent();
    Future<List<WakeupPublishOutcome>> unanswered = publish("run_1");
    provider.faults().restore();

    Outcomes.done(publish("run_2"));

    assertThat(unanswered.isComplete()).isFalse();
    assertThat(received()).containsExactly("run_2");
  }

  @Test
  void a_malformed_command_uses_up_no_fault() {
    provider.faults().refuseNext(1);

    Outcomes.assertFails(publish("a:b"), ErrorCode.VALIDATION_FAILED);

    assertThat(Outcomes.done(publish("run_1"))).noneMatch(WakeupPublishOutcome::isPublished);
  }

  private void subscribe() {
    Subscription subscribed = Outcomes.done(
        transport.wakeups().orElseThrow().subscribe(ENVIRONMENT, new WakeupListener() {
          @Override
          public void onWakeups(List<DeliveryMessage> messages) {
            messages.forEach(message -> heard.add(message.runId()));
          }

          @Override
          public void onPossibleLoss() {}
        }));
    assertThat(subscribed).isNotNull();
  }

  private Future<List<WakeupPublishOutcome>> publish(String... runIds) {
    return transport.publishWakeups(new PublishWakeups(Arrays.stream(runIds)
        .map(runId -> new PublishWakeups.Attempt(
            "msg_" + runId.replace(":", ""),
            "tok",
            new DeliveryMessage(ENVIRONMENT, runId, "default", NOON, null)))
        .toList()));
  }

  private List<String> received() {
    return provider.received().stream().map(DeliveryMessage::runId).toList();
  }
}
