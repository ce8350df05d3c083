package dev.runlane.conformance.transport;

import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.WakeupPublishOutcome;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A transport says of each wakeup what became of it, or that it cannot say. */
@DisplayName("failing providers")
public abstract class TransportFaultConformance extends TransportConformance {
  @Test
  @Rule("T04")
  void refused_wakeups_fail_alone_and_outcome_i_belongs_to_attempt_i() {
    Outcomes.done(fixture.rejectNext(3));
    List<DeliveryMessage> messages = messages(10);

    List<WakeupPublishOutcome> outcomes = publish(messages);

    assertThat(outcomes).hasSize(10);
    assertThat(outcomes.stream().filter(outcome -> !outcome.isPublished())).hasSize(3);
    assertThat(received()).containsExactlyInAnyOrderElementsOf(published(messages, outcomes));
  }

  @Test
  @Rule("T04")
  void a_refusal_is_a_failed_publish_of_a_provider_that_can_be_reached() {
    Outcomes.done(fixture.rejectNext(1));

    List<WakeupPublishOutcome> outcomes = publish(messages(1));

    assertThat(outcomes)
        .singleElement()
        .isInstanceOfSatisfying(WakeupPublishOutcome.Failed.class, failed -> assertThat(
                failed.failure().code())
            .isEqualTo(ErrorCode.TRANSPORT_PUBLISH_FAILED));
  }

  @Test
  @Rule({"T03", "T04"})
  void outcomes_stay_aligned_when_a_large_command_is_split() {
    Outcomes.done(fixture.rejectNext(7));
    List<DeliveryMessage> messages = messages(1_000);

    List<WakeupPublishOutcome> outcomes = publish(messages);

    assertThat(outcomes.stream().filter(outcome -> !outcome.isPublished())).hasSize(7);
    assertThat(received()).containsExactlyInAnyOrderElementsOf(published(messages, outcomes));
  }

  @Test
  @Rule("T04")
  void a_refused_wakeup_can_be_published_again() {
    Outcomes.done(fixture.rejectNext(1));
    publish(messages(1));

    assertThat(publish(messages(1))).allMatch(WakeupPublishOutcome::isPublished);

    assertThat(received()).containsExactlyElementsOf(messages(1));
  }

  @Test
  @Rule("T05")
  void an_outage_fails_the_whole_call_and_may_go_away() {
    Outcomes.done(fixture.breakDown());

    RunlaneException failure = assertFails(
        transport.publishWakeups(command(messages(5))), ErrorCode.TRANSPORT_UNAVAILABLE);

    assertThat(failure.isRetryable()).isTrue();
  }

  @Test
  @Rule("T05")
  void after_an_outage_wakeups_are_published_again() {
    Outcomes.done(fixture.breakDown());
    Outcomes.failure(transport.publishWakeups(command(messages(1))));
    Outcomes.done(fixture.restore());

    assertThat(publish(List.of(message("run_after")))).allMatch(WakeupPublishOutcome::isPublished);

    assertThat(received()).contains(message("run_after"));
  }

  private static List<DeliveryMessage> published(
      List<DeliveryMessage> messages, List<WakeupPublishOutcome> outcomes) {
    List<DeliveryMessage> published = new ArrayList<>();
    for (int i = 0; i < messages.size(); i++) {
      if (outcomes.get(i).isPublished()) {
        published.add(messages.get(i));
      }
    }
    return published;
  }
}
