package dev.runlane.jobs.postgres;

import dev.runlane.jobs.JobState;
import java.util.Map;

/** How statements about one state name it; an index with the state in its predicate needs it as text. */
final class JobEnds {
  private JobEnds() {}

  /** A terminal state, and the column that says when it was reached. */
  static Map<String, String> of(JobState terminal) {
    return Map.of("state", terminal.value(), "ended", column(terminal));
  }

  /** The column that says when a terminal state was reached. */
  static String column(JobState terminal) {
    return terminal == JobState.COMPLETED ? "completed_at" : "failed_at";
  }
}
