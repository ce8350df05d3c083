package dev.runlane.connector.store.pg;

import dev.runlane.connector.store.key.RunFence;
import dev.runlane.connector.store.record.CommitOutcome;
import dev.runlane.connector.store.record.SinkFailure;
import dev.runlane.connector.store.record.StagedCursor;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;

/** Stores the cursors of a run that succeeded, in one statement. */
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
                  .longs("accepted", StagedCursor::recordsAccepted)));

  static final List<SqlStatement<?>> STATEMENTS = List.of(COMMIT);

  Future<CommitOutcome> commit(RunFence fence, List<StagedCursor> cursors, Instant now) {
    return session
        .execute(COMMIT, new Commit(new PgStatements.Fenced(fence, now), cursors))
        .map(rows -> {
          if (rows.size() == 0) {
            return new CommitOutcome.FencedOut();
          }
          String refusal = rows.iterator().next().getString("refusal");
          return refusal == null
              ? new CommitOutcome.Committed()
              : new CommitOutcome.Refused(
                  SinkFailure.ofGrant(refusal, SinkFailure.Phase.STATE_COMMIT));
        });
  }

  /** Cursors of a run. */
  record Commit(PgStatements.Fenced by, List<StagedCursor> cursors) {}
}
