package dev.runlane.operator.process;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A process, and when it lived.
 *
 * @param process what it said of itself
 * @param lastSeen its last sign of life, by its own clock
 * @param clockOffset how far its clock was ahead of the storage's at that time, negative where it was behind, the way
 *     of the sign there included; null where the storage has no clock of its own or an older release wrote it
 */
public record KnownProcess(
    RuntimeProcess process, Instant lastSeen, @Nullable Duration clockOffset) {
  /** After how long without a sign of life a process is gone, three of them being missed = 15 s. */
  public static final Duration GONE_AFTER = SignOfLife.INTERVAL.multipliedBy(3);

  /** A process of whose clock nothing is known. */
  public KnownProcess(RuntimeProcess process, Instant lastSeen) {
    this(process, lastSeen, null);
  }

  /** Refuses null but for the offset, and cuts instants to microseconds. */
  public KnownProcess {
    Objects.requireNonNull(process);
    lastSeen = lastSeen.truncatedTo(ChronoUnit.MICROS);
  }

  /**
   * From when on it is gone, unless it gives another sign of life: by the storage's clock where that is known, since a
   * process whose own clock is behind lives all the same.
   */
  public Instant goneFrom() {
    Instant seen = clockOffset == null ? lastSeen : lastSeen.minus(clockOffset);
    return seen.plus(GONE_AFTER);
  }

  /** Whether it has missed three signs of life at {@code now}. */
  public boolean isGoneAt(Instant now) {
    return !goneFrom().isAfter(now);
  }
}
