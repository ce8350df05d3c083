package dev.runlane.operator.step;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The remote steps of active runs that wait for the workers of one group.
 *
 * @param group the group
 * @param waiting how many have no result
 * @param dispatched how many of them were given to workers
 * @param mostAttempts the highest attempt of any
 * @param oldestRequestedAt when the one that waits longest was asked for; null: nobody knows of any
 * @param firstDeadlineAt when the first of them fails without a result
 */
public record StepGroup(
    String group,
    long waiting,
    long dispatched,
    int mostAttempts,
    @Nullable Instant oldestRequestedAt,
    Instant firstDeadlineAt) {
  /** Refuses null, except as one of the times, and cuts instants to microseconds. */
  public StepGroup {
    Objects.requireNonNull(group);
    oldestRequestedAt =
        oldestRequestedAt == null ? null : oldestRequestedAt.truncatedTo(ChronoUnit.MICROS);
    firstDeadlineAt = firstDeadlineAt.truncatedTo(ChronoUnit.MICROS);
  }
}
