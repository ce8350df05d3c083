package dev.runlane.timing;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A clock that stands still until it is told otherwise, for tests and simulations. Timers do not follow
 * it: move both with {@link ManualTimers#advance}. Safe for use by any thread; no advance is lost to
 * another.
 */
public final class ManualClock implements Clock {
  private final AtomicReference<Instant> now;

  private ManualClock(Instant start) {
    now = new AtomicReference<>(cut(start));
  }

  /** A clock that shows {@code start}, cut to microseconds. */
  public static ManualClock at(Instant start) {
    return new ManualClock(start);
  }

  @Override
  public Instant now() {
    return now.get();
  }

  /** Moves the clock by {@code step}, which may be negative; the result is cut to microseconds. */
  public void advance(Duration step) {
    now.updateAndGet(instant -> cut(instant.plus(step)));
  }

  /** Shows {@code instant}, cut to microseconds, from now on, be it earlier or later than before. */
  public void set(Instant instant) {
    now.set(cut(instant));
  }

  private static Instant cut(Instant instant) {
    return instant.truncatedTo(ChronoUnit.MICROS);
  }
}
