package dev.runlane.timing;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Where the present instant is read. It may jump in either direction, as the clocks of machines do;
 * how long something takes is measured with {@link Timers#elapsed()} instead. Safe for use by any
 * thread.
 */
@FunctionalInterface
public interface Clock {
  /** The present instant, cut to microseconds: what a Postgres {@code timestamptz} can hold. */
  Instant now();

  /** The machine's clock. */
  static Clock system() {
    return () -> Instant.now().truncatedTo(ChronoUnit.MICROS);
  }
}
