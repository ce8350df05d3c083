package dev.runlane.connector.store.run;

import dev.runlane.connector.store.key.ControllerProcess;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.key.RunTrigger;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Accepts a run.
 *
 * @param run which run
 * @param trigger why it exists
 * @param grantId the grant it collects under, or null for none
 * @param scheduleClaim the claim a scheduler holds on the schedule that is due, or null when no schedule starts it
 * @param controller the process it will live in
 * @param now the caller's time
 */
public record BeginRun(
    RunIdentity run,
    RunTrigger trigger,
    @Nullable String grantId,
    @Nullable String scheduleClaim,
    ControllerProcess controller,
    Instant now) {
  /** Refuses null but for grant and claim. */
  public BeginRun {
    Objects.requireNonNull(run);
    Objects.requireNonNull(trigger);
    Objects.requireNonNull(controller);
    Objects.requireNonNull(now);
  }
}
