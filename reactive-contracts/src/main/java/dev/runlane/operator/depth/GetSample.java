package dev.runlane.operator.depth;

import dev.runlane.run.Environment;
import java.util.Objects;

/**
 * Asks for the latest sample of depths.
 *
 * @param environment scope
 */
public record GetSample(Environment environment) {
  /** Refuses null. */
  public GetSample {
    Objects.requireNonNull(environment);
  }
}
