package dev.runlane.operator.depth;

import dev.runlane.run.Environment;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * Has depths counted.
 *
 * @param environment scope
 * @param now the caller's time
 * @param every how old the sample before has to be
 */
public record TakeSample(Environment environment, Instant now, Duration every) {
  /** How old the latest counts are before a process counts anew = 60 s. */
  public static final Duration EVERY = Duration.ofSeconds(60);

  /** Refuses null and cuts instants to microseconds. */
  public TakeSample {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(every);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
