package dev.runlane.operator.schedule;

import dev.runlane.timing.fire.FireTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as the storage knows it.
 *
 * @param name which
 * @param definition the definition that was registered last, as text; of several at one instant, the last by its text
 * @param firstSeen when the schedule was registered first, with whatever definition
 * @param lastSeen when a process registered it last
 * @param countsFrom fires of that definition at or before this instant are none of the schedule's
 * @param lastFire the latest fire that was completed, or null
 * @param resumedAt when its last pause ended, or null: fires up to then make no run any more
 * @param pause its pause, or null: it makes runs
 */
public record ScheduleState(
    ScheduleName name,
    String definition,
    Instant firstSeen,
    Instant lastSeen,
    Instant countsFrom,
    @Nullable Instant lastFire,
    @Nullable Instant resumedAt,
    @Nullable SchedulePause pause) {
  private static final Duration KNOWN_FOR = Duration.ofDays(1);

  /** Refuses null. */
  public ScheduleState {
    Objects.requireNonNull(name);
    Objects.requireNonNull(definition);
    Objects.requireNonNull(firstSeen);
    Objects.requireNonNull(lastSeen);
    Objects.requireNonNull(countsFrom);
  }

  /** Whether a run may be made now of a fire at {@code fireAt}, as far as pauses go. */
  public boolean admits(Instant fireAt) {
    return pause == null && (resumedAt == null || fireAt.isAfter(resumedAt));
  }

  /**
   * The first fire behind the last one that was completed, where it came {@code late} or longer before {@code now}:
   * nobody has made its run. Empty while the schedule is paused, and where no process has registered it for a day: one
   * that left the program would be late for ever.
   *
   * @param times those of its definition
   */
  public Optional<Instant> missedFire(FireTimes times, Duration late, Instant now) {
    return missedFire(times, late, now, now);
  }

  /**
   * The same where schedules were registered until {@code registeredUntil} and nobody is left since: one that was not
   * for a day by then has left the program, but the others are late for as long as all schedulers are gone.
   */
  public Optional<Instant> missedFire(
      FireTimes times, Duration late, Instant now, Instant registeredUntil) {
    if (pause != null || lastSeen.plus(KNOWN_FOR).isBefore(registeredUntil)) {
      return Optional.empty();
    }
    return Stream.of(firstSeen, countsFrom, lastFire, resumedAt)
        .filter(Objects::nonNull)
        .max(Instant::compareTo)
        .flatMap(times::next)
        .filter(fire -> !fire.plus(late).isAfter(now));
  }
}
