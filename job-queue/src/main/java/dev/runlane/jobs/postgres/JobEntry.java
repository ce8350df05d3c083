package dev.runlane.jobs.postgres;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobRef;
import io.vertx.sqlclient.Tuple;
import java.util.List;

/**
 * One line, stack or record of a job.
 *
 * @param job the job
 * @param kind which of the three
 * @param attempt the hand-out it belongs to
 * @param body its text
 */
record JobEntry(JobRef job, Kind kind, int attempt, String body) {
  /** The three kinds, as numbered in the table. */
  enum Kind {
    LINE(JobData.MOST_LOG_LINES),
    STACK(JobData.MOST_ATTEMPTS_KEPT),
    RECORD(JobData.MOST_ATTEMPTS_KEPT);

    private final int most;

    Kind(int most) {
      this.most = most;
    }

    short number() {
      return (short) ordinal();
    }

    int most() {
      return most;
    }
  }

  /** The parameters of {@code append_entries}. */
  static Tuple arrays(List<JobEntry> entries) {
    return ArrayTuple.of(entries)
        .texts(each -> each.job().queueName())
        .texts(each -> each.job().jobId())
        .shorts(each -> each.kind().number())
        .integers(JobEntry::attempt)
        .texts(JobEntry::body)
        .integers(each -> each.kind().most())
        .parameters();
  }
}
