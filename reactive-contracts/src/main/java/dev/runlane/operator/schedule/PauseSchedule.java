package dev.runlane.operator.schedule;

import dev.runlane.run.Actor;
import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Pauses a schedule.
 *
 * @param environment scope
 * @param name which
 * @param actor who wants it
 * @param reason why, or null
 * @param now the caller's time
 */
public record PauseSchedule(
    Environment environment,
    ScheduleName name,
    Actor actor,
    @Nullable String reason,
    Instant now) {
  /** Refuses null and cuts instants to microseconds. */
  public PauseSchedule {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(name);
    Objects.requireNonNull(actor);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
