package dev.runlane.operator.log;

import dev.runlane.run.Environment;
import java.util.List;
import java.util.Objects;

/**
 * Keeps lines of handlers.
 *
 * @param environment scope
 * @param lines of any runs, each place of an attempt once
 */
public record AppendLogLines(Environment environment, List<LogLine> lines) {
  /** Copies the lines and refuses null. */
  public AppendLogLines {
    Objects.requireNonNull(environment);
    lines = List.copyOf(lines);
  }
}
