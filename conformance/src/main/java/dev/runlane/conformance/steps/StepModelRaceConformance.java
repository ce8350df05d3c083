package dev.runlane.conformance.steps;

import static org.assertj.core.api.Assertions.fail;

import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.race.order.ModelRaces;
import dev.runlane.conformance.race.steps.RacedSteps;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Two to four commands that are started together are answered as if one had come after the other, in some order that
 * the model answers alike, and leave behind what that order leaves. Each pair of writing methods is raced twice, and
 * then three or four. More seeds: {@code -Drunlane.step.races=5000 -Drunlane.step.races.from=199}.
 */
@DisplayName("races by the model of step transports")
public abstract class StepModelRaceConformance extends StepTransportConformance {
  /** Where nothing else is said = 198: two for each pair, and 66 others. */
  public static final int RACES = 198;

  /** Says how many there are. */
  public static final String PROPERTY = "runlane.step.races";

  @Test
  @Rule("model")
  void commands_that_are_started_together_are_answered_as_in_some_order_of_them() {
    new ModelRaces<>(new RacedSteps(), PROPERTY, List.of(transport, other()), contexts)
        .firstUnexplainedTold(RACES)
        .ifPresent(told -> fail(told));
  }
}
