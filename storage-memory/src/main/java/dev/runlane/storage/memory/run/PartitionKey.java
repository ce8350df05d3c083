package dev.runlane.storage.memory.run;

import dev.runlane.run.RunRecord;
import org.jspecify.annotations.Nullable;

/**
 * What a queue's limit applies to.
 *
 * @param queue the queue
 * @param concurrencyKey the key, or null: the partition shared by all runs without one
 */
public record PartitionKey(String queue, @Nullable String concurrencyKey) {
  public static PartitionKey of(RunRecord run) {
    return new PartitionKey(run.queue(), run.keys().concurrencyKey());
  }
}
