package dev.runlane.connector.controller;

import dev.runlane.connector.store.ConnectorStore;
import dev.runlane.connector.store.run.CancelOutcome;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Identifiers;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/**
 * Cancels exactly one run. The row decides first: once the request stands in it, the run cannot complete. Then the
 * child is notified, where it is here.
 */
final class CancelRequests {
  private final ConnectorStore store;
  private final LiveRuns live;
  private final RunEvents events;

  CancelRequests(ConnectorStore store, LiveRuns live, RunEvents events) {
    this.store = store;
    this.live = live;
    this.events = events;
  }

  Future<CancelOutcome> request(String runId, @Nullable String requestId) {
    if (Identifiers.fault(runId, ContractDefaults.MAX_ID_BYTES).isPresent()) {
      return Future.succeededFuture(new CancelOutcome.NoActiveRun());
    }
    return store
        .activeRuns()
        .requestCancel(events.cancelRequested(runId, requestId))
        .onSuccess(outcome -> {
          if (outcome instanceof CancelOutcome.Accepted) {
            live.find(runId).ifPresent(here -> here.run().cancel());
          }
        });
  }
}
