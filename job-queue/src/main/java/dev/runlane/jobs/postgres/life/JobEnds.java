package dev.runlane.jobs.postgres.life;

import dev.runlane.jobs.JobState;
import dev.runlane.postgres.statement.SqlStatement;

/** How statements about one state name it; an index with the state in its predicate needs it as text. */
final class JobEnds {
  private JobEnds() {}

  /** The variant about a terminal state, and the column that says when it was reached. */
  static <C> SqlStatement<C> of(SqlStatement<C> statement, JobState terminal) {
    return statement.variant("state", terminal.value()).variant("ended", column(terminal));
  }

  /** The column that says when a terminal state was reached. */
  static String column(JobState terminal) {
    return terminal == JobState.COMPLETED ? "completed_at" : "failed_at";
  }
}
