package dev.runlane.connector.protocol.start;

import dev.runlane.connector.protocol.text.Texts;
import dev.runlane.connector.protocol.text.Timestamps;
import dev.runlane.run.RunlaneException;
import org.jspecify.annotations.Nullable;

/**
 * The times that a stream's records may have: from {@code since} on, before {@code until}. Both are texts as
 * they were asked for, and null means no bound.
 *
 * @param since the first instant that is in the range
 * @param until the first instant after it
 */
public record TimeRange(@Nullable String since, @Nullable String until) {
  /**
   * Fails with {@link dev.runlane.run.ErrorCode#VALIDATION_FAILED} for a bound that is no instant and for a
   * range that ends before, or when, it begins.
   */
  public TimeRange {
    long from = bound("since", since, Long.MIN_VALUE + 1);
    long to = bound("until", until, Long.MAX_VALUE);
    if (from >= to) {
      throw RunlaneException.validationFailed(
          "time_range must begin before it ends, but is from %s to %s",
          String.valueOf(since), String.valueOf(until));
    }
  }

  /** The lower bound in microseconds since the epoch. */
  public long sinceMicros() {
    return bound("since", since, Long.MIN_VALUE + 1);
  }

  /** The upper bound, exclusive, in microseconds since the epoch. */
  public long untilMicros() {
    return bound("until", until, Long.MAX_VALUE);
  }

  private static long bound(String what, @Nullable String text, long absent) {
    if (text == null) {
      return absent;
    }
    long micros = Timestamps.micros(text);
    if (micros == Timestamps.UNREADABLE) {
      throw RunlaneException.validationFailed(
          "time_range.%s must be an ISO 8601 instant, but is %s", what, Texts.cut(text, 40));
    }
    return micros;
  }
}
