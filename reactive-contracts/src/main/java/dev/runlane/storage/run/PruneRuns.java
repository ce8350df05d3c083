package dev.runlane.storage.run;

import dev.runlane.run.Environment;
import dev.runlane.run.RunStatus;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Removes old terminal runs.
 *
 * @param environment scope
 * @param statuses terminal ones; empty: all terminal ones
 * @param olderThan only runs last updated before this instant
 * @param now the caller's time, which decides whether an idempotency key is still retained
 * @param limit most runs in this call; null: the default
 * @param cursor where the previous call with the same statuses and cutoff stopped; null: the beginning
 */
public record PruneRuns(
    Environment environment,
    Set<RunStatus> statuses,
    Instant olderThan,
    Instant now,
    @Nullable Integer limit,
    @Nullable String cursor) {
  /** Copies the statuses, refuses null and cuts instants to microseconds. */
  public PruneRuns {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(olderThan);
    Objects.requireNonNull(now);
    statuses = Set.copyOf(statuses);
    olderThan = olderThan.truncatedTo(ChronoUnit.MICROS);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
