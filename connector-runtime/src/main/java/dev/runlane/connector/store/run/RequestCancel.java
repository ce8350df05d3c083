package dev.runlane.connector.store.run;

import dev.runlane.connector.store.key.StoredValues;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import java.time.Instant;
import java.util.Objects;

/**
 * Accepts the owner's request to cancel a run.
 *
 * @param runId the run
 * @param event the {@code run.cancel_requested} event; written with the first request only
 * @param now the caller's time
 */
public record RequestCancel(String runId, TimelineEvent event, Instant now) {
  /** Refuses null, and any other event. */
  public RequestCancel {
    Objects.requireNonNull(runId);
    Objects.requireNonNull(now);
    StoredValues.require(
        event.type() == TimelineEventType.CANCEL_REQUESTED,
        "a request to cancel is told as run.cancel_requested, not as %s",
        event.type().value());
  }
}
