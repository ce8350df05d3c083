package dev.runlane.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.steps.drawn.StepTrial;
import dev.runlane.steps.StepTransport;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The default sequences of the model notice a step transport that breaks one sentence of the contract. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Execution(CONCURRENT)
class BrokenForTheStepModelTest {
  static List<BrokenAdapter<StepTransport>> all() {
    return SubtleStepFaults.ALL;
  }

  @ParameterizedTest(name = "a step transport that {0}")
  @MethodSource("all")
  void the_model_notices(BrokenAdapter<StepTransport> broken) {
    MemoryStepTransportFixture fixture = new MemoryStepTransportFixture(broken.breaking());
    StepTransport transport = Outcomes.done(fixture.open());

    assertThat(new StepTrial(fixture, List.of(transport)).firstWronglyAnswered())
        .isPresent();
  }
}
