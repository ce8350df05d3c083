package dev.runlane.operator.schedule;

import dev.runlane.run.Actor;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Since when a schedule makes no runs.
 *
 * @param actor who paused it
 * @param reason why, or null
 * @param pausedAt since when
 */
public record SchedulePause(Actor actor, @Nullable String reason, Instant pausedAt) {
  /** Refuses null and cuts instants to microseconds. */
  public SchedulePause {
    Objects.requireNonNull(actor);
    pausedAt = pausedAt.truncatedTo(ChronoUnit.MICROS);
  }
}
