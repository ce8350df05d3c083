package dev.runlane.storage;

import io.vertx.core.Future;
import java.time.Instant;

/**
 * Shows the clock of a storage's server: a capability beside {@link StorageAdapter}. The storage itself decides nothing
 * by it, but it is the one clock that all processes can compare their own with, and leases rely on those being close.
 */
public interface StorageClock {
  /**
   * What the clock says at some moment between this call and its answer, read anew each time. Changes nothing. Fails
   * as {@link StorageAdapter#getRun} does.
   */
  Future<Instant> now();
}
