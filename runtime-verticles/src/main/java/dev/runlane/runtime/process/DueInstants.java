package dev.runlane.runtime.process;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Instants at which a role has something to do, as far as this process heard. Of too many, the latest are
 * forgotten: the sweeps in between find what they stood for.
 */
public final class DueInstants {
  private static final int MOST = 1_000;

  private final long resolutionMillis;
  private final TreeSet<Instant> instants = new TreeSet<>();

  /**
   * No instant.
   *
   * @param resolution instants are moved up to a multiple of it, so that many of them share a sweep
   */
  public DueInstants(Duration resolution) {
    resolutionMillis = Math.max(1, resolution.toMillis());
  }

  public void add(Instant instant) {
    long before = Math.floorDiv(instant.minusNanos(1).toEpochMilli(), resolutionMillis);
    instants.add(Instant.ofEpochMilli((before + 1) * resolutionMillis));
    if (instants.size() > MOST) {
      instants.pollLast();
    }
  }

  /** Forgets what a sweep at {@code now} looks after, and says whether that was anything. */
  public boolean sweptAt(Instant now) {
    Set<Instant> due = instants.headSet(now, true);
    boolean any = !due.isEmpty();
    due.clear();
    return any;
  }

  public Optional<Instant> earliest() {
    return instants.isEmpty() ? Optional.empty() : Optional.of(instants.first());
  }
}
