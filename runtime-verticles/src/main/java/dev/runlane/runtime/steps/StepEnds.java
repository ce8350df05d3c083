package dev.runlane.runtime.steps;

import dev.runlane.run.StepIds;
import java.util.Map;

/** Ends of attempts that steps bring about. */
public final class StepEnds {
  /** The reason of a release because the handler asks for other steps than history has. */
  public static final String NON_DETERMINISTIC = "non_deterministic";

  private StepEnds() {}

  /** Another step is recorded where the handler asks for {@code found}. */
  static Map<String, String> otherStep(String runId, int position, String recorded, String found) {
    return Map.of("stepId", StepIds.of(runId, position), "recorded", recorded, "found", found);
  }

  /** The handler waits for {@code waiting} and does not ask for what is recorded before its result. */
  static Map<String, String> neverAsked(
      String runId, OrderedStepResults.Settled recorded, OrderedStepResults.Settled waiting) {
    return Map.of(
        "stepId",
        StepIds.of(runId, recorded.position()),
        "recorded",
        recorded.description(),
        "found",
        "nothing, while " + waiting.description() + " waits for its turn");
  }
}
