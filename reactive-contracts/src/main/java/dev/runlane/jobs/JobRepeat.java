package dev.runlane.jobs;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * When a job runs again. Exactly one of {@code cron} and {@code every} is given.
 *
 * @param cron a cron expression of 5 fields, 6 (seconds first) or 7 (year last), or null
 * @param every the interval, positive, or null
 * @param limit runs that may still follow, 0 or more, or null for no limit
 * @param startDate no run before it, or null
 * @param endDate no run at or after it, or null; after {@code startDate} where both are given
 * @param zone the IANA zone that {@code cron} is read in, or null for UTC
 */
public record JobRepeat(
    @Nullable String cron,
    @Nullable Duration every,
    @Nullable Integer limit,
    @Nullable Instant startDate,
    @Nullable Instant endDate,
    @Nullable String zone) {
  /** Cuts the dates to milliseconds. */
  public JobRepeat {
    startDate = JobTimes.millisOrNull(startDate);
    endDate = JobTimes.millisOrNull(endDate);
  }

  /** Without an end, at every match of a cron expression in UTC. */
  public static JobRepeat cron(String expression) {
    return new JobRepeat(expression, null, null, null, null, null);
  }

  /** Without an end, at every match of a cron expression in this zone. */
  public static JobRepeat cron(String expression, ZoneId zone) {
    return new JobRepeat(expression, null, null, null, null, zone.getId());
  }

  /** Without an end, an interval apart. */
  public static JobRepeat every(Duration interval) {
    return new JobRepeat(null, interval, null, null, null, null);
  }

  /** The same with so many runs still to follow, or null for no limit. */
  public JobRepeat withLimit(@Nullable Integer runsToFollow) {
    return new JobRepeat(cron, every, runsToFollow, startDate, endDate, zone);
  }

  /** The same between these dates; null means unbounded on that side. */
  public JobRepeat between(@Nullable Instant start, @Nullable Instant end) {
    return new JobRepeat(cron, every, limit, start, end, zone);
  }
}
