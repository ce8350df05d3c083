package dev.runlane.connector.store.pg;

import dev.runlane.connector.store.key.RunFence;
import dev.runlane.connector.store.record.CommitOutcome;
import dev.runlane.connector.store.record.LastBatch;
import dev.runlane.connector.store.record.SinkFailure;
import dev.runlane.connector.store.record.StagedCursor;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;

/** Stores the cursors of a run that succeeded, in one statement, or says what keeps it from that. */
record CursorCommits(PgSession session) {
  static final SqlStatement<PgSession.Given<Commit>> COMMIT = PgSession.statement(
      "commit_cursors",
      new Parameters<Commit>()
          .of(Commit::by, PgStatements.Fenced.PARAMETERS)
          .rows(
              Commit::cursors,
              new Columns<StagedCursor>()
                  .texts("streams", StagedCursor::stream)
                  .texts("cursors", each -> each.cursor().text())
                  .longs("accepted", StagedCursor::recordsAccepted))
          .rows(
              Commit::taken,
              new Columns<LastBatch>()
                  .texts("taken_streams", LastBatch::stream)
                  .longs("taken_batches", LastBatch::number)));

  static final List<SqlStatement<?>> STATEMENTS = List.of(COMMIT);

  /** The same where what was taken of the run is elsewhere. */
  Future<CommitOutcome> commit(RunFence fence, List<StagedCursor> cursors, Instant now) {
    return commit(fence, cursors, List.of(), now);
  }

  Future<CommitOutcome> commit(
      RunFence fence, List<StagedCursor> cursors, List<LastBatch> taken, Instant now) {
    return session
        .execute(COMMIT, new Commit(new PgStatements.Fenced(fence, now), cursors, taken))
        .map(rows -> {
          if (rows.size() == 0) {
            return new CommitOutcome.FencedOut();
          }
          String refusal = rows.iterator().next().getString("refusal");
          return refusal == null
              ? new CommitOutcome.Committed()
              : new CommitOutcome.Refused(failure(refusal, SinkFailure.Phase.STATE_COMMIT));
        });
  }

  /** What a statement that is fenced refused its run for. */
  static SinkFailure failure(String refusal, SinkFailure.Phase phase) {
    return refusal.equals(SinkFailure.RECORDS_LOST)
        ? SinkFailure.ofLostRecords(phase)
        : SinkFailure.ofGrant(refusal, phase);
  }

  /** Cursors of a run, and what was taken of it. */
  record Commit(PgStatements.Fenced by, List<StagedCursor> cursors, List<LastBatch> taken) {}
}
