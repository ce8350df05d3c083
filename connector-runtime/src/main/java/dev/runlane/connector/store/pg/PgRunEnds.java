package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.pg.PgValues.utc;

import dev.runlane.connector.store.ActiveRun;
import dev.runlane.connector.store.CommitOutcome;
import dev.runlane.connector.store.EndOutcome;
import dev.runlane.connector.store.EndRun;
import dev.runlane.connector.store.RunEnds;
import dev.runlane.connector.store.RunHistoryEntry;
import dev.runlane.connector.store.RunSource;
import dev.runlane.connector.store.RunStatus;
import dev.runlane.connector.store.StoreChecks;
import dev.runlane.connector.store.TimelineEventType;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.Optional;

/**
 * The run's end, in one transaction that begins with the lock of the run's row. As everywhere, a schedule is locked
 * before the statistics of its connection.
 */
final class PgRunEnds implements RunEnds {
  private final PgCalls calls;

  PgRunEnds(PgCalls calls) {
    this.calls = calls;
  }

  @Override
  public Future<EndOutcome> end(EndRun command) {
    return calls.transaction("end", () -> StoreChecks.requireEnd(command), session -> session
        .first("lock_run", Tuple.of(session.env(), command.fence().runId()), RunRows::read)
        .compose(
            found -> found.filter(run -> run.fence().equals(command.fence())).isPresent()
                ? end(session, command, found.get())
                : endedBefore(session, command)));
  }

  private static Future<EndOutcome> endedBefore(PgSession session, EndRun command) {
    return PgActiveRuns.terminal(session, command.fence().runId()).map(terminal -> terminal
        .<EndOutcome>map(
            event -> event.event().eventId().equals(command.terminal().eventId())
                ? new EndOutcome.Ended()
                : new EndOutcome.AlreadyEnded(event))
        .orElseGet(EndOutcome.FencedOut::new));
  }

  private static Future<EndOutcome> end(PgSession session, EndRun command, ActiveRun run) {
    if (run.cancelRequestedAt() != null
        && command.terminal().type() == TimelineEventType.COMPLETED) {
      return Future.succeededFuture(new EndOutcome.CancelledFirst());
    }
    return commitCursors(session, command)
        .compose(refused -> refused.isPresent()
            ? Future.succeededFuture(refused.get())
            : store(session, command, run).map(stored -> new EndOutcome.Ended()));
  }

  /** Empty once the cursors are stored, or when there are none. A refusal has stored nothing. */
  private static Future<Optional<EndOutcome>> commitCursors(PgSession session, EndRun command) {
    if (command.cursors().isEmpty()) {
      return Future.succeededFuture(Optional.empty());
    }
    return new CursorCommits(session)
        .commit(command.fence(), command.cursors(), command.now())
        .map(outcome -> outcome instanceof CommitOutcome.Refused refused
            ? Optional.of(new EndOutcome.CursorsRefused(refused.failure()))
            : Optional.empty());
  }

  private static Future<Void> store(PgSession session, EndRun command, ActiveRun run) {
    RunHistoryEntry history = command.history();
    String instanceId = command.fence().instanceId();
    return session
        .execute(
            "append_events",
            EventRows.add(
                PgRecordSink.fence(session.env(), command.fence(), command.now()),
                command.events()))
        .compose(told -> consumeGrant(session, command, run))
        .compose(consumed -> session.update("after_run", afterRun(session.env(), command)))
        .compose(scheduled ->
            session.execute("insert_history", HistoryRows.parameters(session.env(), history)))
        .compose(kept -> session.update(
            "delete_run", Tuple.of(session.env(), instanceId, command.fence().runId())))
        .mapEmpty();
  }

  private static Future<Integer> consumeGrant(PgSession session, EndRun command, ActiveRun run) {
    return run.grantId() == null || command.history().status() != RunStatus.SUCCEEDED
        ? Future.succeededFuture(0)
        : session.update(
            "consume_grant",
            Tuple.of(session.env(), run.grantId(), command.fence().runId(), utc(command.now())));
  }

  private static Tuple afterRun(int env, EndRun command) {
    RunHistoryEntry history = command.history();
    boolean attention =
        history.result().needsAttention() && history.trigger().source() == RunSource.SCHEDULED;
    return Tuple.of(
        env,
        command.fence().instanceId(),
        utc(command.now()),
        attention,
        command.fence().runId(),
        history.failureReason());
  }
}
