package dev.runlane.steps.result;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Claims exactly these results, as far as they may be claimed: their runs are the engine's own, everybody
 * else's stay untouched.
 *
 * @param stepIds the results; may be empty
 * @param engineId tells people who owns the claim
 * @param now the engine's time
 * @param leaseFor a result claimed longer ago than this is taken over
 */
public record ClaimStepResults(
    List<String> stepIds, String engineId, Instant now, Duration leaseFor) {
  /** Copies the ids and refuses null. */
  public ClaimStepResults {
    stepIds = List.copyOf(stepIds);
    Objects.requireNonNull(engineId);
    Objects.requireNonNull(now);
    Objects.requireNonNull(leaseFor);
  }
}
