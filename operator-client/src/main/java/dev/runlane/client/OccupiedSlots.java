package dev.runlane.client;

import dev.runlane.operator.queue.OccupiedPartition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which concurrency keys hold slots of a queue.
 *
 * @param concurrencyLimit slots of each key; null: the queue has no limit, or no living process has it
 * @param keys the keys, the fullest first
 */
public record OccupiedSlots(@Nullable Integer concurrencyLimit, List<OccupiedPartition> keys) {
  /** Copies the list. */
  public OccupiedSlots {
    keys = List.copyOf(keys);
  }
}
