package dev.runlane.operator.log;

import dev.runlane.run.Environment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a page of the lines of a run.
 *
 * @param environment scope
 * @param runId the run
 * @param limit rows wanted; null: the default; more than the maximum is cut to it
 * @param cursor where the page before ended; null: the first page
 */
public record ListLogLines(
    Environment environment,
    String runId,
    @Nullable Integer limit,
    @Nullable String cursor) {
  /** Refuses null. */
  public ListLogLines {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(runId);
  }
}
