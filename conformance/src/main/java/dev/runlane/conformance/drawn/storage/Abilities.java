package dev.runlane.conformance.drawn.storage;

import dev.runlane.storage.StorageAdapter;

/** Which of the interfaces beside the 22 methods a storage has. */
record Abilities(
    boolean batch,
    boolean outbox,
    boolean steps,
    boolean schedules,
    boolean queueLimits,
    boolean operator) {
  static Abilities of(StorageAdapter storage) {
    return new Abilities(
        storage.batch().isPresent(),
        storage.outbox().isPresent(),
        storage.steps().isPresent(),
        storage.schedules().isPresent(),
        storage.queueLimits().isPresent(),
        storage.operator().isPresent());
  }
}
