package dev.runlane.connector.store.history;

import dev.runlane.run.Json;
import org.jspecify.annotations.Nullable;

/**
 * What a run handed back, as its history keeps it.
 *
 * @param recordsEmitted records that were accepted from the connector
 * @param reportedRecordsEmitted what the connector said, where that differs, or null
 * @param checkpointSummary what became of cursors and records, a JSON object, or null where nothing was launched
 * @param knownGaps a JSON list, bounded as on the terminal event
 * @param state the cursors that were stored, a JSON object by stream, or null
 * @param connectorError what DONE said went wrong, a JSON object, or null
 * @param needsAttention whether it asked for something that only a person has: an interaction nobody answered
 */
public record RunResultFacts(
    long recordsEmitted,
    @Nullable Long reportedRecordsEmitted,
    @Nullable Json checkpointSummary,
    Json knownGaps,
    @Nullable Json state,
    @Nullable Json connectorError,
    boolean needsAttention) {
  /** Of a run that did nothing. */
  public static final RunResultFacts NOTHING =
      new RunResultFacts(0, null, null, Json.ofChecked("[]"), null, null, false);

  /** The bytes of its JSON values together. */
  long bytes() {
    return bytes(checkpointSummary) + bytes(knownGaps) + bytes(state) + bytes(connectorError);
  }

  /** The same without what may be large and says nothing of how the run ended. */
  RunResultFacts outcome(boolean failed) {
    return new RunResultFacts(
        recordsEmitted,
        reportedRecordsEmitted,
        checkpointSummary,
        failed ? knownGaps : NOTHING.knownGaps,
        null,
        connectorError,
        needsAttention);
  }

  private static long bytes(@Nullable Json json) {
    return json == null ? 0 : json.sizeInBytes();
  }
}
