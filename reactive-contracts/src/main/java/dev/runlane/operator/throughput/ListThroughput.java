package dev.runlane.operator.throughput;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a page of minutes.
 *
 * @param environment scope
 * @param from only minutes that began then or later
 * @param until only minutes that began before
 * @param queue only of this queue; null: of all
 * @param taskId only of this task; null: of all
 * @param limit rows wanted; null: the default; more than the maximum is cut to it
 * @param cursor where the page before ended; null: the first page
 */
public record ListThroughput(
    Environment environment,
    Instant from,
    Instant until,
    @Nullable String queue,
    @Nullable String taskId,
    @Nullable Integer limit,
    @Nullable String cursor) {
  /** Refuses null and cuts instants to microseconds. */
  public ListThroughput {
    Objects.requireNonNull(environment);
    from = from.truncatedTo(ChronoUnit.MICROS);
    until = until.truncatedTo(ChronoUnit.MICROS);
  }
}
