package dev.runlane.timing.fire;

import java.time.Instant;

/** The years in which schedules fire; four digits keep every instant readable by every backend. */
final class FireRange {
  static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
  static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999Z");

  private FireRange() {}

  static boolean contains(Instant instant) {
    return !instant.isBefore(FIRST) && !instant.isAfter(LAST);
  }

  /** The nearest instant from which searching in either direction finds what it would from {@code instant}. */
  static Instant clamp(Instant instant) {
    if (instant.isBefore(FIRST)) {
      return FIRST.minusNanos(1);
    }
    return instant.isAfter(LAST) ? LAST : instant;
  }
}
