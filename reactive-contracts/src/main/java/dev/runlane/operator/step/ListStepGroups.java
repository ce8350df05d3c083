package dev.runlane.operator.step;

import dev.runlane.run.Environment;
import java.util.Objects;

/**
 * Asks in which groups remote steps wait.
 *
 * @param environment scope
 */
public record ListStepGroups(Environment environment) {
  /** Refuses null. */
  public ListStepGroups {
    Objects.requireNonNull(environment);
  }
}
