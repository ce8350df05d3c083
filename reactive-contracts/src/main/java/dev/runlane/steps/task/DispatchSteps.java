package dev.runlane.steps.task;

import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Asks workers for attempts of steps.
 *
 * @param steps no step twice; may be empty
 * @param now the caller's time, which decides the order of service within a group
 */
public record DispatchSteps(List<StepTask> steps, Instant now) {
  /** Copies the steps and refuses null. */
  public DispatchSteps {
    steps = List.copyOf(steps);
    Objects.requireNonNull(now);
  }
}
