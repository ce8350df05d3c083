package dev.runlane.storage.read;

import dev.runlane.run.Environment;
import java.util.Objects;

/**
 * Asks how many runs of each status there are.
 *
 * @param environment scope
 * @param filter which runs; its statuses are left out of account
 * @param atMost up to how many of a status are counted, from 1 to {@link #MOST}
 */
public record CountRuns(Environment environment, RunFilter filter, int atMost) {
  /** Up to how many of a status may be counted = {@value}. */
  public static final int MOST = 10_000;

  /** Refuses null. */
  public CountRuns {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(filter);
  }
}
