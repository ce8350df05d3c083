package dev.runlane.storage.read;

import dev.runlane.run.Environment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a page of runs. A storage may bound how many runs it looks at for one: then a page whose filter few of
 * them fit has fewer rows than are wanted, or none, and a cursor behind the last that was looked at.
 *
 * @param environment scope
 * @param filter which runs
 * @param sort in which order
 * @param limit rows wanted; null: the default; more than the maximum is cut to it
 * @param cursor where the previous page with the same filter and sort ended; null: the first page
 */
public record ListRuns(
    Environment environment,
    RunFilter filter,
    RunSort sort,
    @Nullable Integer limit,
    @Nullable String cursor) {
  /** Refuses null. */
  public ListRuns {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(filter);
    Objects.requireNonNull(sort);
  }
}
