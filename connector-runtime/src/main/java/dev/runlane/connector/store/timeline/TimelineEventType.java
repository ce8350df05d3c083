package dev.runlane.connector.store.timeline;

import dev.runlane.connector.store.key.StoredValues;

/** The types of timeline events. The string values are stored and never change. */
public enum TimelineEventType {
  /** START was sent. */
  STARTED("run.started"),
  /** The connector reported how far it is. */
  PROGRESS_REPORTED("run.progress_reported"),
  /** The sink took a batch of records. */
  BATCH_INGESTED("run.batch_ingested"),
  /** A cursor was accepted, not stored yet. */
  STATE_STAGED("run.state_staged"),
  /** A staged cursor was stored. */
  STATE_ADVANCED("run.state_advanced"),
  /** A staged cursor could not be stored. */
  STATE_COMMIT_FAILED("run.state_commit_failed"),
  /** The connector left something out. */
  STREAM_SKIPPED("run.stream_skipped"),
  /** The connector asks the owner for something. */
  INTERACTION_REQUIRED("run.interaction_required"),
  /** The asking is over. */
  INTERACTION_COMPLETED("run.interaction_completed"),
  /** The connector wants help. */
  ASSISTANCE_REQUESTED("run.assistance_requested"),
  /** Help came. */
  ASSISTANCE_RESOLVED("run.assistance_resolved"),
  /** Help is no longer wanted. */
  ASSISTANCE_CANCELLED("run.assistance_cancelled"),
  /** Help did not come in time. */
  ASSISTANCE_TIMED_OUT("run.assistance_timed_out"),
  /** Help is wanted more urgently. */
  ASSISTANCE_ESCALATED("run.assistance_escalated"),
  /** A hole in the details was found. */
  DETAIL_GAP_RECORDED("run.detail_gap_recorded"),
  /** A hole in the details was filled. */
  DETAIL_GAP_RECOVERED("run.detail_gap_recovered"),
  /** A hole in the details stays. */
  DETAIL_GAP_TERMINAL("run.detail_gap_terminal"),
  /** The connector reported what its details cover. */
  DETAIL_COVERAGE_DECLARED("run.detail_coverage_declared"),
  /** The browser went away while the owner was asked. */
  BROWSER_SURFACE_LOST("run.browser_surface_lost"),
  /** The owner wants the run to end. */
  CANCEL_REQUESTED("run.cancel_requested"),
  /** The run succeeded. */
  COMPLETED("run.completed"),
  /** The run failed. */
  FAILED("run.failed"),
  /** The owner's cancellation ended the run. */
  CANCELLED("run.cancelled"),
  /** The process of the run went away before the run ended. */
  ABANDONED("run.abandoned"),
  /** A type that a later release has stored, named by {@link RecordedEvent#typeName()}; never stored itself. */
  OTHER("run.other");

  private final String value;

  TimelineEventType(String value) {
    this.value = value;
  }

  /** The string that is stored and shown. */
  public String value() {
    return value;
  }

  /** Whether it is the last event of a run. */
  public boolean isTerminal() {
    return this == COMPLETED || this == FAILED || this == CANCELLED || this == ABANDONED;
  }

  /** Whether retention leaves it: a run stays resolvable for ever by how it began and ended. */
  public boolean isKept() {
    return this == STARTED || isTerminal();
  }

  /** The type with this string value. Throws {@link IllegalArgumentException} when there is none. */
  public static TimelineEventType ofValue(String value) {
    return StoredValues.find(values(), TimelineEventType::value, value);
  }
}
