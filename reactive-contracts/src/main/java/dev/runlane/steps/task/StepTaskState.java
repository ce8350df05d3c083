package dev.runlane.steps.task;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A task that is stored.
 *
 * @param stepId its step
 * @param attempt the attempt it asks for
 * @param leasedAt when a worker took it or renewed its lease last, by the worker's clock; null: none has it. The
 *     lease may have passed
 */
public record StepTaskState(
    String stepId, int attempt, @Nullable Instant leasedAt) {
  /** Refuses null, except as lease. */
  public StepTaskState {
    Objects.requireNonNull(stepId);
  }
}
