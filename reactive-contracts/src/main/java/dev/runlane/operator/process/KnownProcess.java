package dev.runlane.operator.process;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * A process, and when it lived.
 *
 * @param process what it said of itself
 * @param lastSeen its last sign of life
 */
public record KnownProcess(RuntimeProcess process, Instant lastSeen) {
  /** After how long without a sign of life a process is gone, three of them being missed = 15 s. */
  public static final Duration GONE_AFTER = SignOfLife.INTERVAL.multipliedBy(3);

  /** Refuses null and cuts instants to microseconds. */
  public KnownProcess {
    Objects.requireNonNull(process);
    lastSeen = lastSeen.truncatedTo(ChronoUnit.MICROS);
  }

  /** Whether it has missed three signs of life at {@code now}. */
  public boolean isGoneAt(Instant now) {
    return !lastSeen.plus(GONE_AFTER).isAfter(now);
  }
}
