package dev.runlane.connector.protocol.gap;

import java.util.Locale;

/** Where a known gap comes from. The string values never change. */
public enum GapKind {
  /** The connector left something out. */
  SKIP_RESULT,
  /** The run failed. */
  RUN_FAILED,
  /** Cursors were staged and not stored. */
  CHECKPOINT_COMMIT,
  /** A question to the owner had no answer. */
  INTERACTION_REQUIRED,
  /** Details of a record are missing. */
  DETAIL_GAP,
  /** Not all that a cursor depends on was collected. */
  DETAIL_COVERAGE,
  /** The sink does not know a stream. */
  STREAM_SKIPPED;

  private final String value = name().toLowerCase(Locale.ROOT);

  /** The string that is stored. */
  public String value() {
    return value;
  }
}
