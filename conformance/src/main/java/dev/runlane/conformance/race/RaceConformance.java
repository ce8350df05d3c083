package dev.runlane.conformance.race;

import static org.assertj.core.api.Assertions.fail;

import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.model.StorageModel;
import dev.runlane.conformance.storage.StorageConformance;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Two to four commands that are started together are answered as if one had come after the other, in some order that
 * {@link StorageModel} answers alike, and leave behind what that order leaves. Each pair of writing methods is
 * raced, and then three or four. More seeds: {@code -Drunlane.races=5000 -Drunlane.races.from=348}.
 */
@DisplayName("races by the model of the contract")
public abstract class RaceConformance extends StorageConformance {
  @Test
  @Rule("model")
  void commands_that_are_started_together_are_answered_as_in_some_order_of_them() {
    new RaceTrial(competitors(), contexts).firstUnexplainedTold().ifPresent(told -> fail(told));
  }
}
