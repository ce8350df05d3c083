package dev.runlane.storage.read;

import dev.runlane.run.Environment;
import java.util.List;
import java.util.Objects;

/**
 * Reads many runs at once.
 *
 * @param environment scope
 * @param runIds the runs, in the order in which they are answered
 */
public record GetRuns(Environment environment, List<String> runIds) {
  /** Copies the ids and refuses null. */
  public GetRuns {
    Objects.requireNonNull(environment);
    runIds = List.copyOf(runIds);
  }
}
