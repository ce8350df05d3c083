package dev.runlane.timing.fire;

import com.cronutils.model.time.ExecutionTime;
import dev.runlane.timing.Ids;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Objects;
import java.util.Optional;

/**
 * The fires of a cron expression in a zone. The library only ever sees local date-times, dressed up as UTC;
 * which instant each stands for is decided here. That mapping never goes back, so the fires up to an
 * instant are those of the local times up to one last local time:
 *
 * <pre>
 *   gap      01:59 ┃ 03:00     02:00 … 03:00 all fire at ┃
 *   overlap  01:00 … 01:59 ┃ 01:00 … 01:59 │ 02:00     all up to 01:59 have fired at ┃, none between ┃ and │
 * </pre>
 */
final class CronFireTimes implements FireTimes {
  private static final ZonedDateTime ANY_MINUTE =
      ZonedDateTime.of(2000, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);

  private static final int MOST_TEXT = 400;

  private final CronExpression expression;
  private final ZoneId zone;
  private final ZoneRules rules;
  private final ExecutionTime times;
  private final boolean
      neverFires; // found out once, since the library looks for long before it gives up

  CronFireTimes(String expression, ZoneId zone) {
    this.expression = CronExpression.parse(expression);
    this.zone = Objects.requireNonNull(zone, "zone");
    rules = zone.getRules();
    times = ExecutionTime.forCron(this.expression.cron());
    neverFires = times.nextExecution(ANY_MINUTE).isEmpty();
  }

  @Override
  public String definition() {
    String text = toString();
    return text.length() <= MOST_TEXT
        ? text
        : "cron " + Ids.occurrenceId(expression.text()) + " in " + zone;
  }

  @Override
  public Optional<ZoneId> zone() {
    return Optional.of(zone);
  }

  @Override
  public Optional<Instant> next(Instant after) {
    return neverFires ? Optional.empty() : fire(times.nextExecution(lastMinute(after)));
  }

  @Override
  public Optional<Instant> latest(Instant atOrBefore) {
    return neverFires
        ? Optional.empty()
        : fire(times.lastExecution(lastMinute(atOrBefore).plusMinutes(1)));
  }

  @Override
  public String toString() {
    return "cron " + expression.text() + " in " + zone;
  }

  /** The last local minute whose fire is at or before the instant; those of all later ones are after it. */
  private ZonedDateTime lastMinute(Instant instant) {
    Instant within = FireRange.clamp(instant);
    ZoneOffset offset = rules.getOffset(within);
    LocalDateTime local = LocalDateTime.ofInstant(within, offset);
    ZoneOffsetTransition transition = rules.getTransition(local);
    LocalDateTime last = transition != null && offset.equals(transition.getOffsetAfter())
        ? transition.getDateTimeBefore().minusNanos(1)
        : local;
    return last.truncatedTo(ChronoUnit.MINUTES).atZone(ZoneOffset.UTC);
  }

  private Optional<Instant> fire(Optional<ZonedDateTime> minute) {
    return minute
        .map(ZonedDateTime::toLocalDateTime)
        .map(this::instant)
        .filter(FireRange::contains);
  }

  private Instant instant(LocalDateTime local) {
    ZoneOffsetTransition transition = rules.getTransition(local);
    if (transition == null) {
      return local.toInstant(rules.getOffset(local));
    }
    return transition.isGap()
        ? transition.getInstant()
        : local.toInstant(transition.getOffsetBefore());
  }
}
