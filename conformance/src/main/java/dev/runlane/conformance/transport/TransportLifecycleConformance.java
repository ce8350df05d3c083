package dev.runlane.conformance.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.run.RunlaneException;
import dev.runlane.transport.TransportCapability;
import dev.runlane.transport.WakeupPublishOutcome;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A transport starts and closes as often as it is told and keeps to what it reports. */
@DisplayName("life of a transport")
public abstract class TransportLifecycleConformance extends TransportConformance {
  @Test
  @Rule("T09")
  void starting_again_is_harmless() {
    Outcomes.done(transport.start());
    Outcomes.done(transport.start());

    assertThat(publish(messages(2))).allMatch(WakeupPublishOutcome::isPublished);
    assertThat(received()).hasSize(2);
  }

  @Test
  @Rule("T09")
  void closing_twice_is_harmless_and_publishing_afterwards_fails() {
    Outcomes.done(transport.close());
    Outcomes.done(transport.close());

    RunlaneException failure = Outcomes.failure(transport.publishWakeups(command(messages(1))));

    assertThat(failure.code()).isNotNull();
    assertThat(received()).isEmpty();
  }

  @Test
  @Rule("T10")
  void capabilities_stay_the_same_and_durable_delivery_outlives_the_transport() {
    Set<TransportCapability> reported = Set.copyOf(transport.capabilities());
    List<WakeupPublishOutcome> outcomes = publish(messages(3));

    Outcomes.done(transport.close());

    assertThat(outcomes).allMatch(WakeupPublishOutcome::isPublished);
    assertThat(transport.capabilities()).isEqualTo(reported);
    if (reported.contains(TransportCapability.DURABLE_DELIVERY)) {
      assertThat(received()).containsExactlyInAnyOrderElementsOf(messages(3));
    }
  }
}
