package dev.runlane.timing.fire;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.RunlaneException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** A fire at every multiple of an interval since the epoch. */
record EveryFireTimes(long intervalMicros) implements FireTimes {
  private static final Duration SHORTEST = Duration.ofMillis(1);

  static EveryFireTimes of(Duration interval) {
    if (interval.compareTo(SHORTEST) < 0
        || interval.compareTo(ContractDefaults.LONGEST_DURATION) > 0) {
      throw RunlaneException.configurationInvalid(
          "an interval must be at least %s and at most %s, but was %s",
          SHORTEST, ContractDefaults.LONGEST_DURATION, interval);
    }
    if (interval.toNanosPart() % 1_000 != 0) {
      throw RunlaneException.configurationInvalid(
          "an interval must be whole microseconds, but was %s", interval);
    }
    return new EveryFireTimes(interval.toNanos() / 1_000);
  }

  @Override
  public String definition() {
    return "every " + Duration.of(intervalMicros, ChronoUnit.MICROS);
  }

  @Override
  public Optional<Instant> next(Instant after) {
    return fire(multiple(after) + 1);
  }

  @Override
  public Optional<Instant> latest(Instant atOrBefore) {
    return fire(multiple(atOrBefore));
  }

  /** How many intervals fit between the epoch and the instant, rounded down. */
  private long multiple(Instant instant) {
    Instant within = FireRange.clamp(instant);
    return Math.floorDiv(
        within.getEpochSecond() * 1_000_000 + within.getNano() / 1_000, intervalMicros);
  }

  private Optional<Instant> fire(long multiple) {
    return Optional.of(Instant.EPOCH.plus(multiple * intervalMicros, ChronoUnit.MICROS))
        .filter(FireRange::contains);
  }
}
