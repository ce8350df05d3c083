package dev.runlane.runtime.process;

import dev.runlane.timing.Timers;
import java.time.Duration;

/** Bounds something that is tried again after it lost a race: so many tries in all, and none that begins late. */
public final class RetryBudget {
  /** No try begins later than this after the first, which a storage that is slow would make a long wait otherwise. */
  static final Duration LONGEST = Duration.ofSeconds(10);

  private final Timers timers;
  private final Duration until;
  private int left;

  /** The first try begins now. */
  public RetryBudget(Timers timers, int most) {
    this.timers = timers;
    until = timers.elapsed().plus(LONGEST);
    left = most - 1;
  }

  /** Whether there is to be another try, which begins now. */
  public boolean tryNext() {
    return left-- > 0 && timers.elapsed().compareTo(until) < 0;
  }
}
