package dev.runlane.operator.process;

import dev.runlane.run.Environment;
import java.util.Objects;

/**
 * Forgets a process.
 *
 * @param environment scope
 * @param processId the process
 */
public record EndProcess(Environment environment, String processId) {
  /** Refuses null. */
  public EndProcess {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(processId);
  }
}
