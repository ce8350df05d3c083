package dev.runlane.conformance.transport;

import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.transport.drawn.Subject;
import dev.runlane.conformance.transport.drawn.TransportModel;
import dev.runlane.conformance.transport.drawn.TransportTrial;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Commands about listening, drawn from seeds, are answered as {@link TransportModel} allows. More seeds: {@code
 * -Drunlane.model.sequences=1000 -Drunlane.model.from=41}.
 */
@DisplayName("what a model of listeners says")
public abstract class WakeupModelConformance extends TransportConformance {
  @Test
  @Rule("model")
  void wakeups_drawn_from_seeds_are_heard_as_the_model_says() {
    TransportTrial.of(fixture, transport, contexts, Subject.WAKEUPS).holds();
  }
}
