package dev.runlane.operator.throughput;

import dev.runlane.run.Environment;
import java.util.List;
import java.util.Objects;

/**
 * Adds what a process has counted.
 *
 * @param environment scope
 * @param buckets each minute of a task in a queue once
 */
public record AddThroughput(Environment environment, List<ThroughputBucket> buckets) {
  /** Copies the list and refuses null. */
  public AddThroughput {
    Objects.requireNonNull(environment);
    buckets = List.copyOf(buckets);
  }
}
