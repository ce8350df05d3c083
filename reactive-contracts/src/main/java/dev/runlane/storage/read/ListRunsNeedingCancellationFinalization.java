package dev.runlane.storage.read;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * Asks for runs whose owner did not write the cancellation it was asked for.
 *
 * @param environment scope
 * @param now the caller's time
 * @param limit most candidates, at least 1
 */
public record ListRunsNeedingCancellationFinalization(
    Environment environment, Instant now, int limit) {
  /** Refuses null and cuts instants to microseconds. */
  public ListRunsNeedingCancellationFinalization {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(now);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
