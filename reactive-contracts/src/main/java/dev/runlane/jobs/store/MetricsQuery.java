package dev.runlane.jobs.store;

import dev.runlane.jobs.MetricsGranularity;
import java.time.Instant;
import java.util.Objects;

/**
 * Asks for buckets.
 *
 * @param queueName the queue
 * @param granularity how long they are
 * @param from the first start, inclusive
 * @param to the last start, inclusive
 */
public record MetricsQuery(
    String queueName, MetricsGranularity granularity, Instant from, Instant to) {
  /** Refuses null. */
  public MetricsQuery {
    Objects.requireNonNull(queueName);
    Objects.requireNonNull(granularity);
    Objects.requireNonNull(from);
    Objects.requireNonNull(to);
  }
}
