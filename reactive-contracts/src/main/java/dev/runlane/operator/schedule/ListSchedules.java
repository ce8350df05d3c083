package dev.runlane.operator.schedule;

import dev.runlane.run.Environment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a page of schedules.
 *
 * @param environment scope
 * @param limit rows wanted; null: the default; more than the maximum is cut to it
 * @param cursor where the page before ended; null: the first page
 */
public record ListSchedules(
    Environment environment,
    @Nullable Integer limit,
    @Nullable String cursor) {
  /** Refuses null. */
  public ListSchedules {
    Objects.requireNonNull(environment);
  }
}
