package dev.runlane.connector.store.run;

import dev.runlane.connector.store.key.ControllerProcess;
import java.time.Instant;
import java.util.Objects;

/**
 * Makes a run the caller's, whose process is gone or has lost its lease.
 *
 * @param runId the run
 * @param expectedGeneration the generation that was seen; of several who take over, one wins
 * @param controller the process it now belongs to
 * @param now the caller's time
 */
public record TakeOverRun(
    String runId, long expectedGeneration, ControllerProcess controller, Instant now) {
  /** Refuses null. */
  public TakeOverRun {
    Objects.requireNonNull(runId);
    Objects.requireNonNull(controller);
    Objects.requireNonNull(now);
  }
}
