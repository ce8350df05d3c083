package dev.runlane.console.stream;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One event of a stream, written out once for all that are told.
 *
 * @param runId the run that changed, or null where it is of none
 * @param type the type of the run's event, or empty
 * @param at when it occurred
 * @param plain as it is written
 * @param masked the same for those who may not see everything
 */
record Change(@Nullable String runId, String type, Instant at, String plain, String masked) {
  /** More happened than is told. */
  static final Change SKIPPED =
      new Change(null, "", Instant.MIN, written("skipped", "{}"), written("skipped", "{}"));

  /** How far an action on many runs is. */
  static Change ofAction(String plain, String masked) {
    return new Change(
        null, "", Instant.MAX, written("bulk-action", plain), written("bulk-action", masked));
  }

  /** An event of a run's history. */
  static Change ofRun(String runId, String type, Instant at, String plain, String masked) {
    return new Change(runId, type, at, written("run", plain), written("run", masked));
  }

  private static String written(String name, String json) {
    return "event: " + name + "\ndata: " + json + "\n\n";
  }

  /** As it is written for somebody. */
  String text(boolean isMasked) {
    return isMasked ? masked : plain;
  }
}
