package dev.runlane.storage.outbox;

import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.read.GetRun;
import io.vertx.core.Future;
import java.util.List;

/** Shows what became of a run's wakeups: a capability beside {@link StorageAdapter}, for diagnosis. */
public interface OutboxView {
  /**
   * The outbox messages of a run that are kept, oldest delivery request first. A published message need
   * not be kept; a claimed one stays claimed here once its claim has expired. Empty for a run that does not
   * exist. Changes nothing. Fails as {@link StorageAdapter#getRun} does, and with {@code
   * CapabilityUnsupported} where {@link StorageCapability#PERSISTS_OUTBOX} is not reported.
   */
  Future<List<OutboxMessageState>> outboxMessagesOf(GetRun query);
}
