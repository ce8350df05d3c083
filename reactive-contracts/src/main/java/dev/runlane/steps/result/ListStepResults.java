package dev.runlane.steps.result;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Looks for results that may be claimed, the oldest first, without changing anything.
 *
 * @param now the engine's time
 * @param leaseFor a result claimed longer ago than this counts as unclaimed
 * @param after the last one of the page before, or null for the first page
 * @param limit most results, at least 1
 */
public record ListStepResults(
    Instant now, Duration leaseFor, @Nullable StepResultRef after, int limit) {
  /** Refuses null, except as position. */
  public ListStepResults {
    Objects.requireNonNull(now);
    Objects.requireNonNull(leaseFor);
  }
}
