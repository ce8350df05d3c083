package dev.runlane.operator.log;

import java.util.Arrays;
import java.util.Optional;

/** How much a line of a handler matters. The string values never change. */
public enum LogLevel {
  /** For whoever looks for a mistake. */
  DEBUG("debug"),
  /** What happened. */
  INFO("info"),
  /** Something to look at. */
  WARN("warn"),
  /** Something went wrong. */
  ERROR("error");

  private final String value;

  LogLevel(String value) {
    this.value = value;
  }

  /** The string that is stored and sent. */
  public String value() {
    return value;
  }

  /** The level with this string value, or empty when there is none. */
  public static Optional<LogLevel> ofValue(String value) {
    return Arrays.stream(values()).filter(level -> level.value.equals(value)).findFirst();
  }
}
