package dev.runlane.jobs.postgres.life;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobRef;
import dev.runlane.postgres.statement.Columns;

/**
 * One line, stack or record of a job.
 *
 * @param job the job
 * @param kind which of the three
 * @param attempt the hand-out it belongs to
 * @param body its text
 */
record JobEntry(JobRef job, Kind kind, int attempt, String body) {
  /** What is written of entries. */
  static final Columns<JobEntry> COLUMNS = new Columns<JobEntry>()
      .texts("queues", each -> each.job().queueName())
      .texts("ids", each -> each.job().jobId())
      .shorts("kinds", each -> each.kind().number())
      .integers("attempts", JobEntry::attempt)
      .texts("bodies", JobEntry::body);

  /** The three kinds, as numbered in the table. */
  enum Kind {
    LINE(0, JobData.MOST_LOG_LINES),
    STACK(1, JobData.MOST_ATTEMPTS_KEPT),
    RECORD(2, JobData.MOST_ATTEMPTS_KEPT);

    private final short number;
    private final int most;

    Kind(int number, int most) {
      this.number = (short) number;
      this.most = most;
    }

    short number() {
      return number;
    }

    int most() {
      return most;
    }
  }
}
