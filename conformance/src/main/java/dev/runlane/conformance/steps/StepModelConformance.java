package dev.runlane.conformance.steps;

import static org.assertj.core.api.Assertions.fail;

import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.steps.drawn.StepTrial;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Commands drawn from seeds are answered as a model of the step transport contract answers them, and leave behind
 * what it says. More seeds: {@code -Drunlane.steps.sequences=5000 -Drunlane.steps.from=61}.
 */
@DisplayName("what a model of the step transport contract says")
public abstract class StepModelConformance extends StepTransportConformance {
  @Test
  @Rule("model")
  void steps_drawn_from_seeds_are_answered_as_the_model_answers_them() {
    new StepTrial(fixture, List.of(transport, other()))
        .firstWronglyAnsweredTold()
        .ifPresent(told -> fail(told));
  }
}
