package dev.runlane.storage.read;

import dev.runlane.run.Environment;
import java.util.Objects;

/**
 * Reads one run.
 *
 * @param environment scope
 * @param runId the run
 */
public record GetRun(Environment environment, String runId) {
  /** Refuses null. */
  public GetRun {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(runId);
  }
}
