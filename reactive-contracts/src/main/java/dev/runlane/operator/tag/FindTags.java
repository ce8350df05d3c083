package dev.runlane.operator.tag;

import dev.runlane.run.Environment;
import java.util.List;
import java.util.Objects;

/**
 * Asks for the tags of runs.
 *
 * @param environment scope
 * @param runIds which
 */
public record FindTags(Environment environment, List<String> runIds) {
  /** Copies the ids and refuses null. */
  public FindTags {
    Objects.requireNonNull(environment);
    runIds = List.copyOf(runIds);
  }
}
