package dev.runlane.simulation.history;

import java.util.List;

/**
 * Everything that fleets left behind, once all work is done.
 *
 * @param histories every run
 * @param outbox what was inserted into the outbox and deleted from it, and what is left
 * @param partitions the counted and the actual use of every bounded partition
 * @param effects what handlers did, one for each call
 */
public record StoredState(
    List<RunHistory> histories,
    List<OutboxRow> outbox,
    List<PartitionUse> partitions,
    List<Effect> effects) {
  public StoredState {
    histories = List.copyOf(histories);
    outbox = List.copyOf(outbox);
    partitions = List.copyOf(partitions);
    effects = List.copyOf(effects);
  }

  /**
   * What happened to the outbox message of one delivery request.
   *
   * @param sequence of the event {@code run.delivery_requested} it stands for
   * @param inserted how often it was inserted: 1
   * @param deleted how often it was deleted, which is how it is marked as published: 1
   */
  public record OutboxRow(String runId, long sequence, int inserted, int deleted) {}

  /**
   * A partition of a bounded queue.
   *
   * @param counted slots in use as the capacity row counts them
   * @param occupied active runs that occupy a slot
   */
  public record PartitionUse(String queue, String partition, int counted, int occupied) {}

  /** A handler was called for this attempt. */
  public record Effect(String runId, int attempt) {}
}
