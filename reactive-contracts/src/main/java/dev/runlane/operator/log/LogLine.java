package dev.runlane.operator.log;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Objects;

/**
 * A line that a handler wrote.
 *
 * @param runId the run
 * @param attempt which attempt wrote it, from 1
 * @param number its place in the attempt, from 1
 * @param at when
 * @param level how much it matters
 * @param text what it says
 * @param fields the same as data; empty: none
 */
public record LogLine(
    String runId,
    int attempt,
    int number,
    Instant at,
    LogLevel level,
    String text,
    Map<String, String> fields) {
  /** Copies the fields, refuses null and cuts the instant to microseconds. */
  public LogLine {
    Objects.requireNonNull(runId);
    Objects.requireNonNull(level);
    Objects.requireNonNull(text);
    fields = Map.copyOf(fields);
    at = at.truncatedTo(ChronoUnit.MICROS);
  }
}
