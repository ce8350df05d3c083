package dev.runlane.operator.queue;

import org.jspecify.annotations.Nullable;

/**
 * How many slots of a bounded queue the runs of one concurrency key hold.
 *
 * @param concurrencyKey the key; null: runs without one
 * @param occupied slots held, 1 at least
 */
public record OccupiedPartition(@Nullable String concurrencyKey, int occupied) {}
