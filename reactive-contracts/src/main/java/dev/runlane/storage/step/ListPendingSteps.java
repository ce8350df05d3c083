package dev.runlane.storage.step;

import dev.runlane.run.Environment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Lists the pending steps of a run.
 *
 * @param environment scope
 * @param runId the run
 * @param stepId only this step; null: all of them
 */
public record ListPendingSteps(
    Environment environment, String runId, @Nullable String stepId) {
  /** Refuses null, except as step. */
  public ListPendingSteps {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(runId);
  }
}
