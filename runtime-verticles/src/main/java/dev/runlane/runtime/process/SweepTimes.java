package dev.runlane.runtime.process;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The times at which the next sweeps of a role are due, as far as this process knows. Of too many,
 * the latest are dropped: the sweeps in between find their work.
 */
public final class SweepTimes {
  private static final int MOST = 1_000;

  private final long resolutionMillis;
  private final TreeSet<Instant> instants = new TreeSet<>();

  /**
   * No instant.
   *
   * @param resolution instants are moved up to a multiple of it, so that many of them share a sweep
   */
  public SweepTimes(Duration resolution) {
    resolutionMillis = Math.max(1, resolution.toMillis());
  }

  public void add(Instant instant) {
    long before = Math.floorDiv(instant.minusNanos(1).toEpochMilli(), resolutionMillis);
    instants.add(Instant.ofEpochMilli((before + 1) * resolutionMillis));
    if (instants.size() > MOST) {
      instants.pollLast();
    }
  }

  /** Removes the times up to {@code now}; true when there were any. */
  public boolean removeDue(Instant now) {
    Set<Instant> due = instants.headSet(now, true);
    boolean any = !due.isEmpty();
    due.clear();
    return any;
  }

  public Optional<Instant> earliest() {
    return instants.isEmpty() ? Optional.empty() : Optional.of(instants.first());
  }
}
