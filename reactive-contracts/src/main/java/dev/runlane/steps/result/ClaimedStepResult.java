package dev.runlane.steps.result;

import dev.runlane.steps.task.StepClaim;
import java.util.Objects;

/**
 * A result that an engine has claimed.
 *
 * @param claim proof of it
 * @param result what it says
 */
public record ClaimedStepResult(StepClaim claim, StepResult result) {
  /** Refuses null. */
  public ClaimedStepResult {
    Objects.requireNonNull(claim);
    Objects.requireNonNull(result);
  }
}
