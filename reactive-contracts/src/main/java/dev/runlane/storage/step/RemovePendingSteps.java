package dev.runlane.storage.step;

import dev.runlane.run.Environment;
import java.util.List;
import java.util.Objects;

/**
 * Removes pending steps of runs that have ended, once their tasks are gone.
 *
 * @param environment scope
 * @param steps no step twice; may be empty
 */
public record RemovePendingSteps(Environment environment, List<Removal> steps) {
  /** Copies the steps and refuses null. */
  public RemovePendingSteps {
    Objects.requireNonNull(environment);
    steps = List.copyOf(steps);
  }

  /**
   * One step.
   *
   * @param runId its run
   * @param stepId the step
   * @param token the claim
   */
  public record Removal(String runId, String stepId, String token) {
    /** Refuses null. */
    public Removal {
      Objects.requireNonNull(runId);
      Objects.requireNonNull(stepId);
      Objects.requireNonNull(token);
    }
  }
}
