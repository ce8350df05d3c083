package dev.runlane.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.runlane.conformance.broken.FaultSample;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.provider.MemoryProviderFixture;
import dev.runlane.conformance.transport.drawn.TransportTrial;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The default sequences of the model notice a transport that breaks one sentence of the contract. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Execution(CONCURRENT)
class BrokenForTheTransportModelTest {
  /** Nothing that is lost arrives later. */
  private static final Duration PATIENCE = Duration.ofMillis(300);

  static List<SubtleTransportFaults.Fault> all() {
    return FaultSample.of(SubtleTransportFaults.ALL);
  }

  @ParameterizedTest(name = "a transport that {0}")
  @MethodSource("all")
  void the_model_notices(SubtleTransportFaults.Fault fault) {
    Vertx vertx = Vertx.vertx();
    try {
      MemoryProviderFixture fixture = new MemoryProviderFixture(fault.breaking());
      TransportAdapter transport = Outcomes.done(fixture.open());
      Context context = vertx.getOrCreateContext();

      assertThat(TransportTrial.of(
                  fixture, transport, List.of(context, context), fault.subject(), PATIENCE)
              .firstWronglyAnswered())
          .isPresent();
    } finally {
      Outcomes.done(vertx.close());
    }
  }
}
