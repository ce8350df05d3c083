package dev.runlane.operator.depth;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;

/**
 * What waited at one time.
 *
 * @param takenAt when
 * @param queues each queue that has runs that have not ended, by their names
 * @param outbox the outbox
 * @param steps each group of which remote steps wait, by their names
 */
public record DepthSample(
    Instant takenAt, List<QueueDepth> queues, OutboxDepth outbox, List<StepDepth> steps) {
  /** Copies the lists, refuses null and cuts instants to microseconds. */
  public DepthSample {
    queues = List.copyOf(queues);
    steps = List.copyOf(steps);
    Objects.requireNonNull(outbox);
    takenAt = takenAt.truncatedTo(ChronoUnit.MICROS);
  }
}
