package dev.runlane.operator.throughput;

import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Minutes of throughput added up.
 *
 * @param from from when on nothing is missing: what was asked for, or a later step where a storage reads no more rows
 *     than a bound, those of the latest steps
 * @param data one bucket a step and name, with the begin of the step as its minute and {@link #ALL} for the queue, the
 *     task or both that were added up: by time, queue and task. A step in which nothing was counted has none
 */
public record FoldedThroughput(Instant from, List<ThroughputBucket> data) {
  /** Stands for all queues, or all tasks = {@value}. */
  public static final String ALL = "all";

  /** Copies the list and refuses null. */
  public FoldedThroughput {
    Objects.requireNonNull(from);
    data = List.copyOf(data);
  }
}
