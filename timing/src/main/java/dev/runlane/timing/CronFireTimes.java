package dev.runlane.timing;

import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import dev.runlane.run.RunlaneException;
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

/** The fires of a cron expression in a zone. */
final class CronFireTimes implements FireTimes {
  private static final CronParser PARSER =
      new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX));

  private final String expression;
  private final ZoneId zone;
  private final ZoneRules rules;
  private final ExecutionTime times;

  CronFireTimes(String expression, ZoneId zone) {
    this.expression = Objects.requireNonNull(expression, "expression");
    this.zone = Objects.requireNonNull(zone, "zone");
    this.rules = zone.getRules();
    try {
      this.times = ExecutionTime.forCron(PARSER.parse(expression));
    } catch (IllegalArgumentException e) {
      throw RunlaneException.configurationInvalid(
              "the cron expression '%s' is invalid: %s", expression, e.getMessage())
          .causedBy(e);
    }
  }

  @Override
  public Optional<Instant> next(Instant after) {
    ZonedDateTime minute = reached(after).truncatedTo(ChronoUnit.MINUTES).atZone(ZoneOffset.UTC);
    return times.nextExecution(minute).map(local -> fire(local.toLocalDateTime()));
  }

  @Override
  public Optional<Instant> latest(Instant atOrBefore) {
    ZonedDateTime minute =
        reached(atOrBefore).truncatedTo(ChronoUnit.MINUTES).atZone(ZoneOffset.UTC);
    return times.lastExecution(minute.plusMinutes(1)).map(local -> fire(local.toLocalDateTime()));
  }

  /** The last local time whose fire is at or before the instant. */
  private LocalDateTime reached(Instant instant) {
    LocalDateTime local =
        LocalDateTime.ofInstant(FireRange.clamp(instant), rules.getOffset(instant));
    ZoneOffsetTransition transition = rules.getTransition(local);
    boolean secondPass = transition != null
        && transition.isOverlap()
        && transition.getOffsetAfter().equals(rules.getOffset(instant));
    return transition != null && secondPass ? transition.getDateTimeBefore().minusNanos(1) : local;
  }

  private Instant fire(LocalDateTime local) {
    ZoneOffsetTransition transition = rules.getTransition(local);
    if (transition == null) {
      return local.toInstant(rules.getOffset(local));
    }
    return transition.isGap()
        ? transition.getInstant()
        : local.toInstant(transition.getOffsetBefore());
  }

  @Override
  public String toString() {
    return "cron " + expression + " in " + zone;
  }
}
