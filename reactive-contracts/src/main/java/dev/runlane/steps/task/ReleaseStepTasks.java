package dev.runlane.steps.task;

import java.util.List;

/**
 * Hands tasks back that were claimed and not begun, so that others need not wait for the lease to pass.
 *
 * @param claims what the worker holds; those it has lost are passed over
 */
public record ReleaseStepTasks(List<StepClaim> claims) {
  /** Copies the claims. */
  public ReleaseStepTasks {
    claims = List.copyOf(claims);
  }
}
