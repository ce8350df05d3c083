package dev.runlane.storage.read;

import dev.runlane.run.RunEventType;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which events a list holds; everything given must hold.
 *
 * @param runId of this run; null: of any
 * @param types one of these; empty: any
 * @param occurredFrom did not occur before; null: any
 * @param occurredBefore occurred before; null: any
 */
public record RunEventFilter(
    @Nullable String runId,
    Set<RunEventType> types,
    @Nullable Instant occurredFrom,
    @Nullable Instant occurredBefore) {
  /** Copies the types and cuts instants to microseconds. */
  public RunEventFilter {
    types = Set.copyOf(types);
    occurredFrom = occurredFrom == null ? null : occurredFrom.truncatedTo(ChronoUnit.MICROS);
    occurredBefore = occurredBefore == null ? null : occurredBefore.truncatedTo(ChronoUnit.MICROS);
  }

  /** The whole history of one run. */
  public static RunEventFilter ofRun(String runId) {
    return new RunEventFilter(runId, Set.of(), null, null);
  }
}
