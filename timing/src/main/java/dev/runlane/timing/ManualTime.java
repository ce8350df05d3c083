package dev.runlane.timing;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Optional;

/**
 * A clock, its timers and later turns on the thread of a test: nothing runs but within {@link #runDue()} and
 * {@link #advance}, and then always in the same order. Used by one thread at a time.
 */
public final class ManualTime {
  /** Turns and timers within one second of virtual time = {@value}; beyond it work is taken to continue for ever. */
  public static final int MOST_TURNS = 100_000;

  private static final Duration AT_ONCE = Duration.ofMillis(1);
  private static final Duration COUNTED = Duration.ofSeconds(1);

  private final ManualClock clock;
  private final ManualTimers timers;
  private final ArrayDeque<Runnable> turns = new ArrayDeque<>();
  private Duration countedFrom = Duration.ZERO;
  private int counted;

  private ManualTime(Instant start) {
    clock = ManualClock.at(start);
    timers = new ManualTimers(clock);
  }

  /** A clock that shows {@code start}, cut to microseconds, and no timers. */
  public static ManualTime at(Instant start) {
    return new ManualTime(start);
  }

  /** The clock, which the timers move. */
  public ManualClock clock() {
    return clock;
  }

  /** The timers. */
  public ManualTimers timers() {
    return timers;
  }

  /** Runs {@code action} in a later turn, before time passes. */
  public void defer(Runnable action) {
    turns.add(action);
  }

  /**
   * Runs everything that is due, and what follows from it at once: with timers of a millisecond, again and again.
   * Throws {@link IllegalStateException} when that has no end.
   */
  public void runDue() {
    do {
      takeTurns();
    } while (runNext(AT_ONCE));
  }

  /** Advances the clock and runs everything that becomes due, each at its instant. Throws as {@link #runDue()}. */
  public void advance(Duration step) {
    Duration end = timers.elapsed().plus(step);
    do {
      takeTurns();
    } while (runNext(end.minus(timers.elapsed())));
    timers.advance(end.minus(timers.elapsed()));
  }

  /**
   * Advances to the next instant at which timers are due and runs them, and what follows in later turns. False,
   * without anything done, where none is due within {@code most}.
   */
  public boolean runNext(Duration most) {
    Optional<Duration> next = timers.untilNext().filter(until -> until.compareTo(most) <= 0);
    if (next.isEmpty()) {
      return false;
    }
    count();
    timers.advance(next.get());
    takeTurns();
    return true;
  }

  private void takeTurns() {
    for (Runnable turn = turns.poll(); turn != null; turn = turns.poll()) {
      count();
      turn.run();
    }
  }

  private void count() {
    Duration now = timers.elapsed();
    if (now.minus(countedFrom).compareTo(COUNTED) >= 0) {
      countedFrom = now;
      counted = 0;
    }
    counted++;
    if (counted > MOST_TURNS) {
      counted = 0;
      throw new IllegalStateException("more than " + MOST_TURNS
          + " turns and timers within a second of virtual time: this does not come to rest");
    }
  }
}
