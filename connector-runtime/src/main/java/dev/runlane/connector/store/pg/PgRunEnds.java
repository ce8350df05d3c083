package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.pg.PgValues.utc;

import dev.runlane.connector.store.StoreChecks;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.key.RunSource;
import dev.runlane.connector.store.record.CommitOutcome;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.run.EndOutcome;
import dev.runlane.connector.store.run.EndRun;
import dev.runlane.connector.store.run.RunEnds;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The run's end, in one transaction that begins with the lock of the run's row. As everywhere, a schedule is locked
 * before the statistics of its connection.
 */
final class PgRunEnds implements RunEnds {
  private static final SqlStatement<PgSession.Given<Consumed>> CONSUME_GRANT = PgSession.statement(
      "consume_grant",
      new Parameters<Consumed>()
          .value("grant_id", Consumed::grantId)
          .value("run_id", Consumed::runId)
          .value("now", consumed -> utc(consumed.now())));
  private static final SqlStatement<PgSession.Given<EndRun>> AFTER_RUN = PgSession.statement(
      "after_run",
      new Parameters<EndRun>()
          .value("instance_id", end -> end.fence().instanceId())
          .value("now", end -> utc(end.now()))
          .value("attention", PgRunEnds::asksForAttention)
          .value("run_id", end -> end.fence().runId())
          .value("reason", end -> end.history().failureReason()));

  static final List<SqlStatement<?>> STATEMENTS =
      List.of(CONSUME_GRANT, AFTER_RUN, EventRows.APPEND, HistoryRows.INSERT);

  private final PgCalls calls;

  PgRunEnds(PgCalls calls) {
    this.calls = calls;
  }

  @Override
  public Future<EndOutcome> end(EndRun command) {
    return calls.transaction("end", () -> StoreChecks.requireEnd(command), session -> session
        .first(PgActiveRuns.LOCK, command.fence().runId(), RunRows::read)
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

  /** Empty once the cursors are stored and what was taken is found. A refusal has stored nothing. */
  private static Future<Optional<EndOutcome>> commitCursors(PgSession session, EndRun command) {
    if (command.cursors().isEmpty() && command.taken().isEmpty()) {
      return Future.succeededFuture(Optional.empty());
    }
    return new CursorCommits(session)
        .commit(command.fence(), command.cursors(), command.taken(), command.now())
        .map(outcome -> outcome instanceof CommitOutcome.Refused refused
            ? Optional.of(new EndOutcome.CursorsRefused(refused.failure()))
            : Optional.empty());
  }

  private static Future<Void> store(PgSession session, EndRun command, ActiveRun run) {
    return session
        .execute(
            EventRows.APPEND,
            new EventRows.Told(
                new PgStatements.Fenced(command.fence(), command.now()), command.events()))
        .compose(told -> consumeGrant(session, command, run))
        .compose(consumed -> session.update(AFTER_RUN, command))
        .compose(scheduled -> session.execute(HistoryRows.INSERT, command.history()))
        .compose(kept -> session.update(
            PgActiveRuns.DELETE,
            new PgActiveRuns.OfInstance(
                command.fence().instanceId(), command.fence().runId())))
        .mapEmpty();
  }

  private static Future<Integer> consumeGrant(PgSession session, EndRun command, ActiveRun run) {
    return run.grantId() == null || command.history().status() != RunStatus.SUCCEEDED
        ? Future.succeededFuture(0)
        : session.update(
            CONSUME_GRANT, new Consumed(run.grantId(), command.fence().runId(), command.now()));
  }

  private static boolean asksForAttention(EndRun command) {
    RunHistoryEntry history = command.history();
    return history.result().needsAttention() && history.trigger().source() == RunSource.SCHEDULED;
  }

  private record Consumed(String grantId, String runId, Instant now) {}
}
