package dev.runlane.postgres;

import dev.runlane.timing.Timers;
import java.time.Duration;

/**
 * How long a statement may take on which a lease depends: a third of the shortest lease that was lately asked for, so
 * that after one that got no answer there is time for two more. A lease counts for ten minutes after it was asked for,
 * as a process that has leases asks for them, or renews them, more often than that. Safe for use by any thread.
 */
public final class LeaseBound {
  /** The bound is never less: what takes less than that on a loaded machine is no silence. */
  static final Duration LEAST = Duration.ofSeconds(2);

  private static final Duration REMEMBERED = Duration.ofMinutes(10);

  private final Timers timers;
  private volatile RequestedLease shortest = new RequestedLease(Duration.ZERO, Duration.ZERO);

  /** @param timers whose time tells what was asked lately */
  public LeaseBound(Timers timers) {
    this.timers = timers;
  }

  /** Remembers that a lease of this length was asked for; a length of nothing is passed over. */
  public void requested(Duration lease) {
    if (lease.isNegative() || lease.isZero()) {
      return;
    }
    RequestedLease known = shortest;
    Duration now = timers.elapsed();
    if (known.isOver(now) || lease.compareTo(known.lease()) <= 0) {
      shortest = new RequestedLease(lease, now.plus(REMEMBERED));
    }
  }

  /** The bound, or {@code usual} where that is less or no lease was lately asked for. */
  public Duration atMost(Duration usual) {
    RequestedLease known = shortest;
    if (known.isOver(timers.elapsed())) {
      return usual;
    }
    Duration third = known.lease().dividedBy(3);
    Duration bound = third.compareTo(LEAST) < 0 ? LEAST : third;
    return bound.compareTo(usual) < 0 ? bound : usual;
  }

  private record RequestedLease(Duration lease, Duration until) {
    boolean isOver(Duration now) {
      return now.compareTo(until) >= 0;
    }
  }
}
