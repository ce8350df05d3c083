package dev.runlane.storage;

import dev.runlane.run.ErrorCode;
import io.vertx.core.Future;

/**
 * Looks whether what a storage keeps its data in is as this release needs it: a capability beside {@link
 * StorageAdapter}, for health checks.
 */
public interface StorageSchema {
  /**
   * Changes nothing. What a newer release has added is accepted. Fails with {@link ErrorCode#CONFIGURATION_INVALID},
   * naming what is missing or has changed, and as {@link StorageAdapter#getRun} does.
   */
  Future<Void> verify();
}
