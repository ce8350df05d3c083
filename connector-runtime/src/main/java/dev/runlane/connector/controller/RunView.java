package dev.runlane.connector.controller;

import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.timeline.RecordedEvent;
import dev.runlane.connector.store.timeline.RunTimeline.RunBounds;
import dev.runlane.connector.store.timeline.TimelineEventType;
import java.time.Instant;
import java.util.Optional;

/**
 * What is known of one run.
 *
 * @param run which run
 * @param status where it is
 * @param startedAt when it was accepted, or when it began where that is no longer known
 * @param terminal its last event; empty while it is active
 */
public record RunView(
    RunIdentity run, Status status, Instant startedAt, Optional<RecordedEvent> terminal) {
  /** The terminal event wins over a row that is still there. */
  static Optional<RunView> of(Optional<ActiveRun> row, RunBounds bounds) {
    Optional<RecordedEvent> first = bounds.started().or(bounds::terminal);
    Optional<RunIdentity> run = row.map(ActiveRun::run).or(() -> first.map(RecordedEvent::run));
    return run.map(identity -> new RunView(
        identity,
        bounds.terminal().map(event -> Status.of(event.event().type())).orElse(Status.ACTIVE),
        row.map(ActiveRun::startedAt)
            .orElseGet(() -> first.orElseThrow().event().occurredAt()),
        bounds.terminal()));
  }

  /** Where a run is. */
  public enum Status {
    /** Accepted, and not ended. */
    ACTIVE("active"),
    /** Succeeded. */
    COMPLETED("completed"),
    /** Failed. */
    FAILED("failed"),
    /** Cancelled by the owner. */
    CANCELLED("cancelled"),
    /** Its process went away. */
    ABANDONED("abandoned");

    private final String value;

    Status(String value) {
      this.value = value;
    }

    /** The string that is shown. */
    public String value() {
      return value;
    }

    private static Status of(TimelineEventType terminal) {
      return switch (terminal) {
        case COMPLETED -> COMPLETED;
        case CANCELLED -> CANCELLED;
        case ABANDONED -> ABANDONED;
        default -> FAILED;
      };
    }
  }
}
