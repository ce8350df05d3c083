package dev.runlane.storage;

import dev.runlane.run.Environment;
import java.util.List;

/**
 * Reads many runs at once.
 *
 * @param environment scope
 * @param runIds the runs, in the order in which they are answered
 */
public record GetRuns(Environment environment, List<String> runIds) {
  /** Copies the ids. */
  public GetRuns {
    runIds = List.copyOf(runIds);
  }
}
