package dev.runlane.timing;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * A clock that stands still until it is advanced, for tests and simulations. Timers do not follow
 * it: move both with {@link ManualTimers#advance}. Safe for use by any thread; no advance is lost to
 * another.
 */
public final class ManualClock implements Clock {
  private Instant now;

  private ManualClock(Instant start) {
    now = cut(start);
  }

  /** A clock that shows {@code start}, cut to microseconds. */
  public static ManualClock at(Instant start) {
    return new ManualClock(start);
  }

  @Override
  public synchronized Instant now() {
    return now;
  }

  /** Moves the clock by {@code step}, which may be negative; the result is cut to microseconds. */
  public synchronized void advance(Duration step) {
    now = cut(now.plus(step));
  }

  /** Shows {@code instant}, cut to microseconds, from now on, be it earlier or later than before. */
  public synchronized void set(Instant instant) {
    now = cut(instant);
  }

  private static Instant cut(Instant instant) {
    return instant.truncatedTo(ChronoUnit.MICROS);
  }
}
