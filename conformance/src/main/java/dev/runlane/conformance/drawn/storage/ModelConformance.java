package dev.runlane.conformance.drawn.storage;

import dev.runlane.conformance.drawn.Step;
import dev.runlane.conformance.drawn.Trial;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.model.StorageModel;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.storage.StorageAdapter;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Commands drawn from seeds are answered as {@link StorageModel} answers them, and leave behind what it says. More
 * seeds: {@code -Drunlane.model.sequences=10000 -Drunlane.model.from=301}.
 */
@DisplayName("what a model of the contract says")
public abstract class ModelConformance extends StorageConformance {
  /** Sequences under way at the same time = 4, so that storages may gather their commands. */
  private static final int AT_ONCE = 4;

  @Test
  @Rule("model")
  void commands_drawn_from_seeds_are_answered_as_the_model_answers_them() {
    trial().holds(Trial.SEQUENCES, AT_ONCE);
  }

  /** A sequence that was found once. */
  protected void assertHeld(Step... steps) {
    trial().holds(List.of(steps));
  }

  protected static Step step(int number, Object command) {
    return new Step(number, command);
  }

  private Trial<StorageAdapter, StorageModel> trial() {
    return new Trial<>(new StorageContract(), competitors());
  }
}
