package dev.runlane.steps.result;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a step's attempt ended, as its engine reads it. It does not say which attempt: a result that comes
 * twice is recognised by {@code createdAt}, and one that came late by its step not being pending.
 *
 * @param stepId the step
 * @param runId its run
 * @param seq its position
 * @param outcome how it ended; a result that cannot be read is a failure that is not retryable, with code
 *     {@value #UNREADABLE}
 * @param startedAt when the handler was called, by the worker's clock, or null when the worker did not say
 * @param createdAt when the result was written, by the worker's clock
 */
public record StepResult(
    String stepId,
    String runId,
    int seq,
    StepOutcome outcome,
    @Nullable Instant startedAt,
    Instant createdAt) {
  /** The code of a failure that stands for a result nobody can read. */
  public static final String UNREADABLE = "unreadable_result";

  /** Refuses null, except as start. */
  public StepResult {
    Objects.requireNonNull(stepId);
    Objects.requireNonNull(runId);
    Objects.requireNonNull(outcome);
    Objects.requireNonNull(createdAt);
  }
}
