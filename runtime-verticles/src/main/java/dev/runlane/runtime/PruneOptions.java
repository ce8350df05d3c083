package dev.runlane.runtime;

import dev.runlane.run.RunStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which runs a prune removes. Checked by the call, which fails its future with {@code ValidationFailed}. */
public final class PruneOptions {
  private final @Nullable Duration age;
  private final @Nullable Instant cutoff;
  private Set<RunStatus> statuses = Set.of();
  private @Nullable Integer limit;
  private @Nullable String cursor;

  private PruneOptions(@Nullable Duration age, @Nullable Instant cutoff) {
    this.age = age;
    this.cutoff = cutoff;
  }

  /** Runs that ended longer ago than {@code age}, which is resolved by the first call and then stays. */
  public static PruneOptions olderThan(Duration age) {
    return new PruneOptions(age, null);
  }

  /** Runs that ended before {@code cutoff}. */
  public static PruneOptions endedBefore(Instant cutoff) {
    return new PruneOptions(null, cutoff);
  }

  Optional<Duration> age() {
    return Optional.ofNullable(age);
  }

  Optional<Instant> cutoff() {
    return Optional.ofNullable(cutoff);
  }

  /** The statuses whose runs go; empty: all terminal ones. */
  public Set<RunStatus> getStatuses() {
    return statuses;
  }

  /** Sets the statuses whose runs go, all of them terminal. */
  public PruneOptions setStatuses(Set<RunStatus> statuses) {
    this.statuses = Set.copyOf(statuses);
    return this;
  }

  /** The most runs of one call; empty: 500. */
  public Optional<Integer> getLimit() {
    return Optional.ofNullable(limit);
  }

  /** Sets the most runs of one call, at least 1. */
  public PruneOptions setLimit(int limit) {
    this.limit = limit;
    return this;
  }

  /** Where the previous call stopped; empty: the beginning. */
  public Optional<String> getCursor() {
    return Optional.ofNullable(cursor);
  }

  /** Sets where the previous call with the same age or cutoff and statuses stopped. */
  public PruneOptions setCursor(String cursor) {
    this.cursor = cursor;
    return this;
  }
}
