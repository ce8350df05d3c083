package dev.runlane.storage.read;

import dev.runlane.run.Environment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a page of events.
 *
 * @param environment scope
 * @param filter which events
 * @param sort in which order
 * @param limit rows wanted; null: the default; more than the maximum is cut to it
 * @param cursor where the previous page with the same filter and sort ended; null: the first page
 * @param bytes a page ends behind the row with which its events, as JSON in UTF-8, come to as many, so that it has at
 *     least one; null: only the limit counts
 */
public record ListRunEvents(
    Environment environment,
    RunEventFilter filter,
    RunEventSort sort,
    @Nullable Integer limit,
    @Nullable String cursor,
    @Nullable Integer bytes) {
  /** Refuses null. */
  public ListRunEvents {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(filter);
    Objects.requireNonNull(sort);
  }

  /** Asks for a page of which the limit alone counts. */
  public ListRunEvents(
      Environment environment,
      RunEventFilter filter,
      RunEventSort sort,
      @Nullable Integer limit,
      @Nullable String cursor) {
    this(environment, filter, sort, limit, cursor, null);
  }
}
