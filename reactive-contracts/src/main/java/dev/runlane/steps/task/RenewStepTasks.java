package dev.runlane.steps.task;

import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Renews leases of tasks.
 *
 * @param claims what the worker holds; may be empty
 * @param now the worker's time, from which the leases count anew
 */
public record RenewStepTasks(List<StepClaim> claims, Instant now) {
  /** Copies the claims and refuses null. */
  public RenewStepTasks {
    claims = List.copyOf(claims);
    Objects.requireNonNull(now);
  }
}
