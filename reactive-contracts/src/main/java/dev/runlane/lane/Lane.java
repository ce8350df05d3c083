package dev.runlane.lane;

import dev.runlane.storage.StorageAdapter;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Future;

/** The infrastructure a runtime works on. Made by {@link Lanes#create}. */
public interface Lane {
  /** What diagnostics call this lane. */
  String name();

  /** What the adapters promise, and what the lane adds to it. */
  LaneCapabilities capabilities();

  /** The very storage the lane was made from. */
  StorageAdapter storage();

  /** The very transport the lane was made from. */
  TransportAdapter transport();

  /**
   * Starts the storage, then the transport; closes the storage again if the transport does not start. A lane that is
   * closed meanwhile opens nothing more, closes what has opened, and fails with {@code OperationCancelled}. One whose
   * storage was closed does not start again: who tries once more makes it anew.
   */
  Future<Void> start();

  /** Closes the transport, then the storage, the second even if the first fails; the first failure wins. */
  Future<Void> close();
}
