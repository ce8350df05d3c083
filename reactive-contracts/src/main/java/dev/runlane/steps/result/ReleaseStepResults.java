package dev.runlane.steps.result;

import dev.runlane.steps.task.StepClaim;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Releases claims on results that could not be processed, so that they are delivered again after a while.
 *
 * @param claims what the engine holds; those it has lost are passed over
 * @param now the engine's time
 * @param leaseFor the age at which engines take claims over
 * @param retryIn after how long they may be claimed again, at most {@code leaseFor}
 */
public record ReleaseStepResults(
    List<StepClaim> claims, Instant now, Duration leaseFor, Duration retryIn) {
  /** Copies the claims and refuses null. */
  public ReleaseStepResults {
    claims = List.copyOf(claims);
    Objects.requireNonNull(now);
    Objects.requireNonNull(leaseFor);
    Objects.requireNonNull(retryIn);
  }
}
