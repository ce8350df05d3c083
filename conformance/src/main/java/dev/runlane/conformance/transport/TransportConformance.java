package dev.runlane.conformance.transport;

import static dev.runlane.conformance.kit.Given.ENVIRONMENT;

import dev.runlane.conformance.fixture.TransportFixture;
import dev.runlane.conformance.kit.CaseVertx;
import dev.runlane.conformance.kit.ConformanceSuite;
import dev.runlane.conformance.kit.EnclosingSuite;
import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.RuleNames;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.WakeupPublishOutcome;
import io.vertx.core.Context;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.extension.ExtendWith;

/** One promise of a transport. Each case gets a started transport and a provider without wakeups. */
@ExtendWith({VertxExtension.class, EnclosingSuite.class})
@DisplayNameGeneration(RuleNames.class)
public abstract class TransportConformance {
  TransportFixture fixture;
  TransportAdapter transport;
  List<Context> contexts;

  /** Opens the transport under test. */
  @BeforeEach
  final void openTransport(ConformanceSuite<?> suite, CaseVertx vertx) {
    fixture = suite.fixture(TransportFixture.class, vertx);
    contexts = vertx.contexts();
    transport = Outcomes.done(fixture.open());
  }

  /** Closes all that the case opened. */
  @AfterEach
  final void closeTransport() {
    Outcomes.done(fixture.close());
  }

  DeliveryMessage message(String runId) {
    return new DeliveryMessage(ENVIRONMENT, runId, fixture.queue(), Given.NOON, null);
  }

  List<DeliveryMessage> messages(int count) {
    return IntStream.range(0, count).mapToObj(i -> message("run_" + i)).toList();
  }

  static PublishWakeups command(List<DeliveryMessage> messages) {
    return new PublishWakeups(IntStream.range(0, messages.size())
        .mapToObj(i -> new PublishWakeups.Attempt("msg_" + i, "tok_1", messages.get(i)))
        .toList());
  }

  List<WakeupPublishOutcome> publish(List<DeliveryMessage> messages) {
    return Outcomes.done(transport.publishWakeups(command(messages)));
  }

  List<DeliveryMessage> received() {
    return Outcomes.done(fixture.received());
  }
}
