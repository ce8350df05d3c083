package dev.runlane.runtime.operate;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which minutes are wanted.
 *
 * @param from only minutes that began then or later
 * @param until only minutes that began before
 * @param queue only of this queue; null: of all
 * @param taskId only of this task; null: of all
 * @param limit rows wanted; null: 50; more than 200 is cut to 200
 * @param cursor where the page before ended; null: the first page
 */
public record ThroughputQuery(
    Instant from,
    Instant until,
    @Nullable String queue,
    @Nullable String taskId,
    @Nullable Integer limit,
    @Nullable String cursor) {
  /** Refuses null. */
  public ThroughputQuery {
    Objects.requireNonNull(from);
    Objects.requireNonNull(until);
  }

  /** The first page of all queues and tasks. */
  public static ThroughputQuery between(Instant from, Instant until) {
    return new ThroughputQuery(from, until, null, null, null, null);
  }
}
