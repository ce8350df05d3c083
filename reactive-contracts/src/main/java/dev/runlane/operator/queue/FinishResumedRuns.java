package dev.runlane.operator.queue;

import dev.runlane.run.Environment;
import java.util.Objects;

/**
 * Says that wakeups of taken runs are requested.
 *
 * @param environment scope
 * @param token that of the claim
 * @param taken what was taken under it
 */
public record FinishResumedRuns(Environment environment, String token, ResumedRuns taken) {
  /** Refuses null. */
  public FinishResumedRuns {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(token);
    Objects.requireNonNull(taken);
  }
}
