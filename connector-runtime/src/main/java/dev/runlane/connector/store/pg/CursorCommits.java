package dev.runlane.connector.store.pg;

import dev.runlane.connector.store.CommitOutcome;
import dev.runlane.connector.store.RunFence;
import dev.runlane.connector.store.SinkFailure;
import dev.runlane.connector.store.StagedCursor;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;

/** Stores the cursors of a run that succeeded, in one statement. */
record CursorCommits(PgSession session) {
  Future<CommitOutcome> commit(RunFence fence, List<StagedCursor> cursors, Instant now) {
    return session
        .execute(
            "commit_cursors",
            PgRecordSink.fence(session.env(), fence, now)
                .addArrayOfString(cursors.stream().map(StagedCursor::stream).toArray(String[]::new))
                .addArrayOfString(
                    cursors.stream().map(each -> each.cursor().text()).toArray(String[]::new))
                .addArrayOfLong(
                    cursors.stream().map(StagedCursor::recordsAccepted).toArray(Long[]::new)))
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
}
