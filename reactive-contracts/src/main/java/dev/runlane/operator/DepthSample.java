package dev.runlane.operator;

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
 */
public record DepthSample(Instant takenAt, List<QueueDepth> queues, OutboxDepth outbox) {
  /** Copies the list, refuses null and cuts instants to microseconds. */
  public DepthSample {
    queues = List.copyOf(queues);
    Objects.requireNonNull(outbox);
    takenAt = takenAt.truncatedTo(ChronoUnit.MICROS);
  }
}
