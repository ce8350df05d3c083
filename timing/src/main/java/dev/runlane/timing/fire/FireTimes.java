package dev.runlane.timing.fire;

import dev.runlane.run.RunlaneException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * The instants at which a schedule fires: a fixed set, which depends on no clock, so that every process
 * finds the same. All lie in the years 1 to 9999 UTC and on whole microseconds. Immutable.
 */
public sealed interface FireTimes permits OnceFireTimes, EveryFireTimes, CronFireTimes {
  /**
   * One fire, at {@code instant} cut to microseconds. Fails with {@link
   * dev.runlane.run.ErrorCode#CONFIGURATION_INVALID} outside the years 1 to 9999.
   */
  static FireTimes once(Instant instant) {
    return OnceFireTimes.at(instant);
  }

  /**
   * A fire at every multiple of {@code interval} since 1970-01-01T00:00Z, whenever the schedule was made.
   * Fails with {@link dev.runlane.run.ErrorCode#CONFIGURATION_INVALID} for less than 1 ms, more than 36 500
   * days, or a fraction of a microsecond.
   */
  static FireTimes every(Duration interval) {
    return EveryFireTimes.of(interval);
  }

  /**
   * A fire at every local date and minute of {@code zone} that the expression describes: minute, hour, day of
   * month, month, day of week, each a number, {@code *}, range, step or list; months and days of week also by
   * their English abbreviations in any case, Sunday as 0 or 7. Where neither day field is {@code *}, a day
   * that fits one of the two is enough.
   *
   * <p>A local time that the zone skips fires at the end of the gap, several such once. One that the zone has
   * twice fires once, the first time.
   *
   * <p>Fails with {@link dev.runlane.run.ErrorCode#CONFIGURATION_INVALID} for anything else than five such
   * fields. An expression that fits no date ({@code 0 0 31 2 *}) is accepted and never fires.
   */
  static FireTimes cron(String expression, ZoneId zone) {
    return new CronFireTimes(expression, zone);
  }

  /**
   * The same in the zone with this IANA name, such as {@code Europe/Berlin}. Fails with {@link
   * dev.runlane.run.ErrorCode#CONFIGURATION_INVALID} for an unknown one too.
   */
  static FireTimes cron(String expression, String zone) {
    try {
      return cron(expression, ZoneId.of(zone));
    } catch (DateTimeException e) {
      throw RunlaneException.configurationInvalid("unknown time zone '%s'", zone)
          .causedBy(e);
    }
  }

  /**
   * What this is, as text: equal for equal calendars that were written alike, in every process and release. At
   * most 500 characters; a longer cron expression is given by its hash.
   */
  String definition();

  /**
   * What {@link #definition} wrote, read back; empty where the text does not hold it all, as that of a long cron
   * expression, or is none.
   */
  static Optional<FireTimes> ofDefinition(String definition) {
    return Definitions.read(definition);
  }

  /** The zone whose local times fire; empty where a schedule knows none. */
  default Optional<ZoneId> zone() {
    return Optional.empty();
  }

  /** The first fire strictly after {@code after}, or empty when none follows. */
  Optional<Instant> next(Instant after);

  /** The last fire at or before {@code atOrBefore}, or empty when none precedes. */
  Optional<Instant> latest(Instant atOrBefore);

  /**
   * The fires after {@code exclusiveFrom} up to and including {@code inclusiveTo}, in ascending order; where
   * there are more than {@code most}, the latest of them. Takes time for what it returns, not for what lies
   * between.
   *
   * @param most 0 or more; fewer fail with {@link dev.runlane.run.ErrorCode#VALIDATION_FAILED}
   */
  default List<Instant> between(Instant exclusiveFrom, Instant inclusiveTo, int most) {
    if (most < 0) {
      throw RunlaneException.validationFailed(
          "the most fire times to list must be at least 0, was %d", most);
    }
    List<Instant> latestFirst = new ArrayList<>();
    Optional<Instant> fire = latest(inclusiveTo);
    while (latestFirst.size() < most && fire.filter(exclusiveFrom::isBefore).isPresent()) {
      latestFirst.add(fire.get());
      fire = latest(fire.get().minusNanos(1));
    }
    Collections.reverse(latestFirst);
    return List.copyOf(latestFirst);
  }
}
