package dev.runlane.storage;

import io.vertx.core.Future;
import java.util.List;

/** Shows what became of a run's wakeups: a capability beside {@link StorageAdapter}, for diagnosis. */
public interface OutboxView {
  /**
   * The outbox messages of a run that are kept, oldest delivery request first. A published message need
   * not be kept. Empty for a run that does not exist. Fails as {@link StorageAdapter#getRun} does.
   */
  Future<List<OutboxMessageState>> outboxMessagesOf(GetRun query);
}
