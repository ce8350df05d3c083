package dev.runlane.storage.outbox;

import dev.runlane.storage.read.GetRun;
import io.vertx.core.Future;
import java.util.List;

/**
 * Shows what became of a run's wakeups: a capability beside
 * {@link dev.runlane.storage.StorageAdapter StorageAdapter}, for diagnosis.
 */
public interface OutboxView {
  /**
   * The outbox messages of a run that are kept, oldest delivery request first. A published message need
   * not be kept; a claimed one stays claimed here once its claim has expired. Empty for a run that does not
   * exist. Changes nothing. Fails as {@link dev.runlane.storage.StorageAdapter#getRun} does, and with {@code
   * CapabilityUnsupported} where {@link dev.runlane.storage.StorageCapability#PERSISTS_OUTBOX} is not reported.
   */
  Future<List<OutboxMessageState>> outboxMessagesOf(GetRun query);
}
