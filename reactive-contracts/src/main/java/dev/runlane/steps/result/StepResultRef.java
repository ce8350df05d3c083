package dev.runlane.steps.result;

import java.time.Instant;
import java.util.Objects;

/**
 * A result that may be claimed, without its content.
 *
 * @param stepId the step
 * @param runId its run
 * @param createdAt when it was written, by the worker's clock
 */
public record StepResultRef(String stepId, String runId, Instant createdAt) {
  /** Refuses null. */
  public StepResultRef {
    Objects.requireNonNull(stepId);
    Objects.requireNonNull(runId);
    Objects.requireNonNull(createdAt);
  }
}
