package dev.runlane.simulation.world;

import dev.runlane.timing.Clock;
import java.time.Instant;
import java.util.function.LongUnaryOperator;

/**
 * The clock of one process.
 *
 * @param ahead how far it is ahead of a true time, both in microseconds
 */
public record ProcessClock(VirtualTime time, LongUnaryOperator ahead) implements Clock {
  @Override
  public Instant now() {
    return time.instant().plusNanos(ahead.applyAsLong(time.now()) * 1_000);
  }
}
