package dev.runlane.operator.step;

import dev.runlane.run.Environment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a page of the remote steps that have no result. A storage may bound how many it looks at for one: then a
 * page of a group that few of them are of has fewer rows than are wanted, or none, and a cursor behind the last that
 * was looked at.
 *
 * @param environment scope
 * @param runId of this run; null: of any
 * @param group that the workers of this group are asked for; null: of any
 * @param limit rows wanted; null: the default; more than the maximum is cut to it
 * @param cursor where the page before with the same filter ended; null: the first page
 */
public record ListSteps(
    Environment environment,
    @Nullable String runId,
    @Nullable String group,
    @Nullable Integer limit,
    @Nullable String cursor) {
  /** Refuses null. */
  public ListSteps {
    Objects.requireNonNull(environment);
  }
}
