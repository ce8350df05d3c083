package dev.runlane.operator.tag;

import dev.runlane.run.Environment;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.SortDirection;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a page of the runs that have certain tags, in the order of their creation. A storage may bound how many runs
 * of a tag it looks at for one: then a page whose filter or other tags few of them have has fewer rows than are wanted,
 * or none, and a cursor behind the last that was looked at.
 *
 * @param environment scope
 * @param tags all of which a run must have, at least one
 * @param filter what else must hold
 * @param direction whether the newest or the oldest come first
 * @param limit rows wanted; null: the default; more than the maximum is cut to it
 * @param cursor where the page before ended; null: the first page
 */
public record ListTaggedRuns(
    Environment environment,
    Map<String, String> tags,
    RunFilter filter,
    SortDirection direction,
    @Nullable Integer limit,
    @Nullable String cursor) {
  /** Copies the tags and refuses null. */
  public ListTaggedRuns {
    Objects.requireNonNull(environment);
    tags = Map.copyOf(tags);
    Objects.requireNonNull(filter);
    Objects.requireNonNull(direction);
  }

  /** Asks for the newest first. */
  public ListTaggedRuns(
      Environment environment,
      Map<String, String> tags,
      RunFilter filter,
      @Nullable Integer limit,
      @Nullable String cursor) {
    this(environment, tags, filter, SortDirection.DESC, limit, cursor);
  }
}
