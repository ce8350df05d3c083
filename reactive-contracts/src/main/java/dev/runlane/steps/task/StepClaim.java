package dev.runlane.steps.task;

import java.util.Objects;

/**
 * Ownership of one task or one result for as long as nobody else takes it over.
 *
 * @param stepId the step
 * @param token made by the transport for this claim alone
 */
public record StepClaim(String stepId, String token) {
  /** Refuses null. */
  public StepClaim {
    Objects.requireNonNull(stepId);
    Objects.requireNonNull(token);
  }
}
