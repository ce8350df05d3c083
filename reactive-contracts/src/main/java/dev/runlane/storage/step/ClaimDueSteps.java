package dev.runlane.storage.step;

import dev.runlane.run.Environment;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * Claims pending steps that are due.
 *
 * @param environment scope
 * @param now the caller's time
 * @param claimFor how long the claim lasts
 * @param limit most steps, at least 1
 */
public record ClaimDueSteps(Environment environment, Instant now, Duration claimFor, int limit) {
  /** Refuses null and cuts instants to microseconds. */
  public ClaimDueSteps {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(now);
    Objects.requireNonNull(claimFor);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
