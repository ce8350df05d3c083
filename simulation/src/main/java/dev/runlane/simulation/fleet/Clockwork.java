package dev.runlane.simulation.fleet;

import dev.runlane.runtime.task.MissedFires;
import dev.runlane.runtime.task.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;

/**
 * A schedule of each kind, as deployments have them, and when they fire, reckoned without the runtime.
 *
 * @param id of the schedule
 * @param interval of its fires; of a cron expression, whole minutes
 * @param editedInterval the same of the edited definition
 * @param zone of a cron expression; empty: this is an interval
 * @param missed which missed fires make runs
 */
public record Clockwork(
    String id, Duration interval, Duration editedInterval, String zone, MissedFires missed) {
  /** The schedules are as usual. */
  public static final int USUAL = 0;

  /** The schedules are disabled. */
  public static final int DISABLED = 1;

  /** The schedules fire at other times. */
  public static final int EDITED = 2;

  /** How old a fire may be for a schedule that skips those it has missed. */
  public static final Duration TOLERANCE = Duration.ofSeconds(5);

  private static final int EVERY_FIRE = 1_000;

  /** All of them. */
  public static final List<Clockwork> ALL = List.of(
      new Clockwork(
          "skipping", Duration.ofSeconds(40), Duration.ofSeconds(40), "", MissedFires.skip()),
      new Clockwork(
          "latest", Duration.ofSeconds(70), Duration.ofSeconds(50), "", MissedFires.latest()),
      new Clockwork(
          "each",
          Duration.ofMinutes(2),
          Duration.ofMinutes(5),
          "Asia/Kathmandu", // a quarter of an hour off
          MissedFires.all(EVERY_FIRE)));

  /** The schedule in an edition. */
  Schedule schedule(int edition) {
    Duration apart = intervalOf(edition);
    Schedule made = (zone.isEmpty()
            ? Schedule.every(id, apart)
            : Schedule.cron(id, "*/" + apart.toMinutes() + " * * * *", zone))
        .payload(new Item(1, "K1"))
        .missedFires(missed);
    return edition == DISABLED ? made.disabled() : made;
  }

  /** The fires of an edition after an instant and before another. */
  public List<Instant> fires(int edition, Instant after, Instant before) {
    List<Instant> fires = new ArrayList<>();
    for (long second = after.getEpochSecond(); second < before.getEpochSecond(); second++) {
      Instant at = Instant.ofEpochSecond(second);
      if (at.isAfter(after) && isFire(edition, at)) {
        fires.add(at);
      }
    }
    return fires;
  }

  /** Whether an edition fires at an instant. */
  public boolean isFire(int edition, Instant at) {
    Duration apart = intervalOf(edition);
    if (at.getNano() != 0) {
      return false;
    }
    if (zone.isEmpty()) {
      return at.getEpochSecond() % apart.toSeconds() == 0;
    }
    ZonedDateTime local = at.atZone(ZoneId.of(zone));
    return local.getSecond() == 0 && local.getMinute() % apart.toMinutes() == 0;
  }

  private Duration intervalOf(int edition) {
    return edition == EDITED ? editedInterval : interval;
  }
}
