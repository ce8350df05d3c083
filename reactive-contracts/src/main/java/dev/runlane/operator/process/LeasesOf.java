package dev.runlane.operator.process;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * Asks which leases the workers of a process hold.
 *
 * @param environment scope
 * @param processId the process
 * @param now the caller's time
 * @param limit leases wanted at most
 */
public record LeasesOf(Environment environment, String processId, Instant now, int limit) {
  /** Refuses null and cuts instants to microseconds. */
  public LeasesOf {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(processId);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
