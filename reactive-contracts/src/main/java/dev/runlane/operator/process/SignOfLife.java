package dev.runlane.operator.process;

import dev.runlane.run.Environment;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * Says that a process lives.
 *
 * @param environment scope
 * @param process what it says of itself
 * @param now the caller's time
 */
public record SignOfLife(Environment environment, RuntimeProcess process, Instant now) {
  /** How often a living process says it = 5 s. */
  public static final Duration INTERVAL = Duration.ofSeconds(5);

  /** Refuses null and cuts instants to microseconds. */
  public SignOfLife {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(process);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
