package dev.runlane.steps.result;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Deletes results that no engine needs, as far as none has claimed them.
 *
 * @param stepIds the results; may be empty
 * @param createdBefore only those written before this instant
 * @param now the engine's time
 * @param leaseFor a result claimed longer ago than this counts as unclaimed
 */
public record DiscardStepResults(
    List<String> stepIds, Instant createdBefore, Instant now, Duration leaseFor) {
  /** Copies the ids and refuses null. */
  public DiscardStepResults {
    stepIds = List.copyOf(stepIds);
    Objects.requireNonNull(createdBefore);
    Objects.requireNonNull(now);
    Objects.requireNonNull(leaseFor);
  }
}
