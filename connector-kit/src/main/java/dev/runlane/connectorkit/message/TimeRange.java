package dev.runlane.connectorkit.message;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The times asked for, as START gives them: from {@code since} on and before {@code until}. Null
 * means without that bound; both are dates or timestamps of ISO-8601.
 */
public record TimeRange(@Nullable String since, @Nullable String until) {

  /**
   * Whether {@code value} is in the range. A bound that is no time admits nothing.
   *
   * @param value a timestamp or a date; without an offset, UTC is taken
   * @return false also for a text that is neither
   */
  public boolean admits(String value) {
    return Timestamps.parse(value).map(this::admits).orElse(false);
  }

  /**
   * Whether {@code value} is a time outside. The runtime reads more forms of times than the kit, so that a value or a
   * bound which the kit cannot read excludes nothing.
   */
  public boolean excludes(String value) {
    return Timestamps.parse(value)
        .map(time -> bound(since).filter(time::isBefore).isPresent()
            || bound(until).filter(bound -> !time.isBefore(bound)).isPresent())
        .orElse(false);
  }

  private static Optional<Instant> bound(@Nullable String text) {
    return text == null ? Optional.empty() : Timestamps.parse(text);
  }

  private boolean admits(Instant time) {
    boolean lateEnough = since == null
        || Timestamps.parse(since).map(bound -> !time.isBefore(bound)).orElse(false);
    boolean earlyEnough =
        until == null || Timestamps.parse(until).map(time::isBefore).orElse(false);
    return lateEnough && earlyEnough;
  }
}
