package dev.runlane.operator.task;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * A task, and who said what it is.
 *
 * @param task what was said
 * @param processId who said it
 * @param startedAt when that process began
 * @param publishedAt when it said so last
 */
public record KnownTask(
    RuntimeTask task, String processId, Instant startedAt, Instant publishedAt) {
  /** After how long a living process says it again = 1 hour. */
  public static final Duration PUBLISHED_EVERY = Duration.ofHours(1);

  /** After how long, if nobody says so again, any other process's word replaces it = 2 hours. */
  public static final Duration STALE_AFTER = PUBLISHED_EVERY.multipliedBy(2);

  /** Refuses null and cuts instants to microseconds. */
  public KnownTask {
    Objects.requireNonNull(task);
    Objects.requireNonNull(processId);
    startedAt = startedAt.truncatedTo(ChronoUnit.MICROS);
    publishedAt = publishedAt.truncatedTo(ChronoUnit.MICROS);
  }
}
