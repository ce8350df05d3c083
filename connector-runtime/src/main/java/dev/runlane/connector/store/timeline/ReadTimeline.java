package dev.runlane.connector.store.timeline;

import java.util.Objects;

/**
 * Asks for a part of a run's timeline.
 *
 * @param runId the run
 * @param afterSequence the last sequence that is known; 0 for the beginning
 * @param limit at most this many events, 1 to {@value #MOST_EVENTS}; a page of large ones has fewer
 */
public record ReadTimeline(String runId, long afterSequence, int limit) {
  /** Events in one page where nobody says otherwise = {@value}. */
  public static final int DEFAULT_LIMIT = 2_000;

  /** Events in one page at most = {@value}. */
  public static final int MOST_EVENTS = 5_000;

  /** Refuses null. */
  public ReadTimeline {
    Objects.requireNonNull(runId);
  }

  /** The first page. */
  public static ReadTimeline of(String runId) {
    return new ReadTimeline(runId, 0, DEFAULT_LIMIT);
  }
}
