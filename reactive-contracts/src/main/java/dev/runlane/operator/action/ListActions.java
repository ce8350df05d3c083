package dev.runlane.operator.action;

import dev.runlane.run.Environment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a page of actions. A storage may bound how many it looks at for one: then a page whose filter few of them
 * fit has fewer rows than are wanted, or none, and a cursor behind the last that was looked at.
 *
 * @param environment scope
 * @param filter which
 * @param limit rows wanted; null: the default; more than the maximum is cut to it
 * @param cursor where the page before with the same filter ended; null: the first page
 */
public record ListActions(
    Environment environment,
    ActionFilter filter,
    @Nullable Integer limit,
    @Nullable String cursor) {
  /** Refuses null. */
  public ListActions {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(filter);
  }

  /** Asks for a page of all actions. */
  public ListActions(Environment environment, @Nullable Integer limit, @Nullable String cursor) {
    this(environment, ActionFilter.ALL, limit, cursor);
  }
}
