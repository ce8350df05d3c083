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
 * What operators and processes do and ask, among commands to runs, is answered as {@link StorageModel} answers it. More
 * seeds: {@code -Drunlane.model.sequences=10000 -Drunlane.model.from=301}.
 */
@DisplayName("what a model of the contract says")
public abstract class OperatorModelConformance extends StorageConformance {
  /** Sequences where nothing else is said = 150: half of their commands are to runs, which have their own suite. */
  public static final int SEQUENCES = 150;

  private static final int AT_ONCE = 4;

  @Test
  @Rule("model")
  void commands_drawn_from_seeds_are_answered_as_the_model_answers_them() {
    trial().holds(SEQUENCES, AT_ONCE);
  }

  /** A sequence that was found once. */
  protected void assertHeld(Step... steps) {
    trial().holds(List.of(steps));
  }

  private Trial<StorageAdapter, StorageModel> trial() {
    return new Trial<>(StorageContract.operated(), competitors());
  }
}
