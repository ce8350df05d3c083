package dev.runlane.steps.task;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A task that a worker has leased.
 *
 * @param claim proof of the lease
 * @param task the attempt; without input where that is absent or cannot be read
 * @param inputFault what is wrong with the input that was stored, or null when nothing is. Such a step is
 *     answered with a failure that is not retryable
 * @param dispatchedAt when the engine dispatched it, by the engine's clock
 */
public record ClaimedStepTask(
    StepClaim claim, StepTask task, @Nullable String inputFault, Instant dispatchedAt) {
  /** Refuses null, except as fault. */
  public ClaimedStepTask {
    Objects.requireNonNull(claim);
    Objects.requireNonNull(task);
    Objects.requireNonNull(dispatchedAt);
  }
}
