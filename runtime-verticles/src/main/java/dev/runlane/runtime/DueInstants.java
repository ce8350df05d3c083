package dev.runlane.runtime;

import java.time.Instant;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Instants at which a role has something to do, as far as this process heard. Of too many, the latest are
 * forgotten: the sweeps in between find what they stood for.
 */
final class DueInstants {
  private static final int MOST = 1_000;

  private final TreeSet<Instant> instants = new TreeSet<>();

  void add(Instant instant) {
    instants.add(instant);
    if (instants.size() > MOST) {
      instants.pollLast();
    }
  }

  /** Forgets what a sweep at {@code now} looks after. */
  void sweptAt(Instant now) {
    instants.headSet(now, true).clear();
  }

  Optional<Instant> earliest() {
    return instants.isEmpty() ? Optional.empty() : Optional.of(instants.first());
  }
}
