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
 */
public record ListRunEvents(
    Environment environment,
    RunEventFilter filter,
    RunEventSort sort,
    @Nullable Integer limit,
    @Nullable String cursor) {
  /** Refuses null. */
  public ListRunEvents {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(filter);
    Objects.requireNonNull(sort);
  }
}
