package dev.runlane.storage.step;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * Makes the next attempt of a pending step due, after a failure that may be retried.
 *
 * @param environment scope
 * @param runId its run
 * @param stepId the step
 * @param attempt the attempt that failed
 * @param resultAt the result that says so, by the instant its worker wrote it: a result that comes again is
 *     not counted again
 * @param nextAt when the next attempt is dispatched
 */
public record RetryStep(
    Environment environment,
    String runId,
    String stepId,
    int attempt,
    Instant resultAt,
    Instant nextAt) {
  /** Refuses null and cuts instants to microseconds. */
  public RetryStep {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(runId);
    Objects.requireNonNull(stepId);
    Objects.requireNonNull(resultAt);
    Objects.requireNonNull(nextAt);
    resultAt = resultAt.truncatedTo(ChronoUnit.MICROS);
    nextAt = nextAt.truncatedTo(ChronoUnit.MICROS);
  }
}
