package dev.runlane.runtime.report;

import dev.runlane.timing.Timers;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Which traces are worth writing: of each kind, by place and class, one a minute; the failures between have a line
 * without one. Safe for use by any thread.
 */
public final class StackTraceLimiter {
  private static final Duration PERIOD = Duration.ofMinutes(1);
  private static final int MOST_KINDS = 256;

  private final Timers timers;
  private final ConcurrentMap<String, Duration> written = new ConcurrentHashMap<>();

  StackTraceLimiter(Timers timers) {
    this.timers = timers;
  }

  /** Whether the trace of this failure, which came up there, is to be written. */
  public boolean shouldLog(String where, Throwable failure) {
    if (written.size() >= MOST_KINDS) {
      written.clear();
    }
    Duration now = timers.elapsed();
    String kind = where + ' ' + failure.getClass().getName();
    Duration last = written.get(kind);
    if (last == null) {
      return written.putIfAbsent(kind, now) == null;
    }
    return now.minus(last).compareTo(PERIOD) >= 0 && written.replace(kind, last, now);
  }
}
