package dev.runlane.timing.fire;

import dev.runlane.run.RunlaneException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** One fire. */
record OnceFireTimes(Instant fire) implements FireTimes {
  static OnceFireTimes at(Instant instant) {
    if (!FireRange.contains(instant)) {
      throw RunlaneException.configurationInvalid(
          "a schedule must fire between %s and %s, but was %s",
          FireRange.FIRST, FireRange.LAST, instant);
    }
    return new OnceFireTimes(instant.truncatedTo(ChronoUnit.MICROS));
  }

  @Override
  public String definition() {
    return "once at " + fire;
  }

  @Override
  public Optional<Instant> next(Instant after) {
    return Optional.of(fire).filter(after::isBefore);
  }

  @Override
  public Optional<Instant> latest(Instant atOrBefore) {
    return Optional.of(fire).filter(instant -> !instant.isAfter(atOrBefore));
  }
}
