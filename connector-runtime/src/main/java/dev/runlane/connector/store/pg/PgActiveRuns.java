package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.pg.PgValues.utc;

import dev.runlane.connector.store.ActiveRun;
import dev.runlane.connector.store.ActiveRuns;
import dev.runlane.connector.store.BeginOutcome;
import dev.runlane.connector.store.BeginRun;
import dev.runlane.connector.store.CancelOutcome;
import dev.runlane.connector.store.ControllerProcess;
import dev.runlane.connector.store.FlushedStream;
import dev.runlane.connector.store.RecordedEvent;
import dev.runlane.connector.store.RequestCancel;
import dev.runlane.connector.store.RunFence;
import dev.runlane.connector.store.RunSource;
import dev.runlane.connector.store.RunTrigger;
import dev.runlane.connector.store.StoreChecks;
import dev.runlane.connector.store.TakeOverRun;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The rows of active runs. */
final class PgActiveRuns implements ActiveRuns {
  private static final int MOST_TRIES = 5;

  private final PgCalls calls;

  PgActiveRuns(PgCalls calls) {
    this.calls = calls;
  }

  @Override
  public Future<BeginOutcome> begin(BeginRun command) {
    return begin(command, connection -> Future.succeededFuture(), 1);
  }

  /** See {@link PgConnectorStore#beginWith}. */
  Future<BeginOutcome> beginWith(BeginRun command, Function<SqlConnection, Future<Void>> also) {
    return begin(command, also, 1);
  }

  /** A run that was in the way may be gone when it is looked for: then there is room. */
  private Future<BeginOutcome> begin(
      BeginRun command, Function<SqlConnection, Future<Void>> also, int tries) {
    return calls
        .<Optional<BeginOutcome>>transaction(
            "begin", () -> StoreChecks.requireBegin(command), session -> session
                .first("insert_run", inserted(session.env(), command), RunRows::read)
                .compose(added -> added.isPresent()
                    ? afterInsert(session, command, added.get()).map(Optional::of)
                    : inTheWay(session, command))
                .compose(outcome -> outcome.orElse(null) instanceof BeginOutcome.Begun
                    ? also.apply((SqlConnection) session.client()).map(outcome)
                    : Future.succeededFuture(outcome)))
        .compose(outcome -> {
          if (outcome.isPresent()) {
            return Future.succeededFuture(outcome.get());
          }
          return tries < MOST_TRIES
              ? begin(command, also, tries + 1)
              : Future.failedFuture(RunlaneException.unavailable(
                  ErrorCode.STORAGE_UNAVAILABLE,
                  null,
                  "runs of connection %s came and went %d times while one was begun",
                  command.run().connector().instanceId(),
                  tries));
        });
  }

  private static Tuple inserted(int env, BeginRun command) {
    RunTrigger trigger = command.trigger();
    Tuple parameters = Tuple.of(
        env,
        command.run().connector().instanceId(),
        command.run().connector().connectorId(),
        command.run().runId(),
        command.run().traceId(),
        utc(command.now()));
    parameters
        .addString(trigger.source().value())
        .addString(trigger.kind().value())
        .addString(trigger.mode().value())
        .addInteger(trigger.attempt())
        .addString(command.grantId());
    return controller(parameters, command.controller());
  }

  private static Tuple controller(Tuple parameters, ControllerProcess controller) {
    return parameters
        .addString(controller.controllerId())
        .addString(controller.hostId())
        .addString(controller.bootId())
        .addLong(controller.pid())
        .addLong(controller.startTicks())
        .addString(controller.address());
  }

  private static Future<Optional<BeginOutcome>> inTheWay(PgSession session, BeginRun command) {
    return session
        .first(
            "run_in_the_way",
            Tuple.of(
                session.env(),
                command.run().connector().instanceId(),
                command.run().runId()),
            RunRows::read)
        .map(found -> found.map(run -> isSame(run, command)
            ? new BeginOutcome.Begun(run)
            : new BeginOutcome.AlreadyActive(run.run().runId())));
  }

  private static boolean isSame(ActiveRun run, BeginRun command) {
    return run.run().equals(command.run()) && run.controller().equals(command.controller());
  }

  /** Read after the row was written: a run of this id that ended meanwhile is seen only now. */
  private static Future<BeginOutcome> afterInsert(
      PgSession session, BeginRun command, ActiveRun added) {
    return terminal(session, command.run().runId())
        .compose(ended -> ended.isPresent()
            ? withdrawn(
                session, command, new BeginOutcome.AlreadyActive(command.run().runId()))
            : spendClaim(session, command)
                .compose(spent -> spent
                    ? begun(session, command, added)
                    : withdrawn(session, command, new BeginOutcome.ClaimLost())));
  }

  private static Future<BeginOutcome> withdrawn(
      PgSession session, BeginRun command, BeginOutcome outcome) {
    return session
        .update(
            "delete_run",
            Tuple.of(
                session.env(),
                command.run().connector().instanceId(),
                command.run().runId()))
        .map(deleted -> outcome);
  }

  private static Future<Boolean> spendClaim(PgSession session, BeginRun command) {
    String claim = command.scheduleClaim();
    return claim == null
        ? Future.succeededFuture(true)
        : session
            .update(
                "claimed_schedule",
                Tuple.of(
                    session.env(),
                    command.run().connector().instanceId(),
                    claim,
                    utc(command.now())))
            .map(spent -> spent == 1);
  }

  private static Future<BeginOutcome> begun(PgSession session, BeginRun command, ActiveRun added) {
    String instanceId = command.run().connector().instanceId();
    Future<Integer> attended = command.trigger().source() == RunSource.MANUAL
        ? session.update("attended", Tuple.of(session.env(), instanceId))
        : Future.succeededFuture(0);
    return attended
        .compose(seen ->
            session.update("note_start", Tuple.of(session.env(), instanceId, utc(command.now()))))
        .map(noted -> new BeginOutcome.Begun(added));
  }

  /** How a run ended, if it has. */
  static Future<Optional<RecordedEvent>> terminal(PgSession session, String runId) {
    return session.first(
        "terminal_events",
        Tuple.of(session.env()).addArrayOfString(new String[] {runId}),
        EventRows::read);
  }

  @Override
  public Future<Optional<ActiveRun>> takeOver(TakeOverRun command) {
    return calls.statement(
        "takeOver",
        () -> StoreChecks.requireTakeOver(command),
        session -> session.first(
            "take_over",
            controller(
                Tuple.of(session.env(), command.runId(), command.expectedGeneration()),
                command.controller()),
            RunRows::read));
  }

  @Override
  public Future<CancelOutcome> requestCancel(RequestCancel command) {
    return calls.transaction(
        "requestCancel", () -> StoreChecks.requireCancel(command), session -> session
            .first("lock_run", Tuple.of(session.env(), command.runId()), RunRows::read)
            .compose(found -> found.isPresent()
                ? accept(session, command, found.get())
                : terminal(session, command.runId()).map(ended -> ended
                    .<CancelOutcome>map(CancelOutcome.AlreadyTerminal::new)
                    .orElseGet(CancelOutcome.NoActiveRun::new))));
  }

  private static Future<CancelOutcome> accept(
      PgSession session, RequestCancel command, ActiveRun run) {
    if (run.cancelRequestedAt() != null) {
      return Future.succeededFuture(new CancelOutcome.Accepted(run, false));
    }
    return session
        .execute(
            "append_events",
            EventRows.add(
                PgRecordSink.fence(session.env(), run.fence(), command.now()),
                List.of(command.event())))
        .compose(told -> session.first(
            "mark_cancelled",
            Tuple.of(session.env(), run.run().connector().instanceId(), utc(command.now())),
            RunRows::read))
        .map(marked -> new CancelOutcome.Accepted(marked.orElse(run), true));
  }

  @Override
  public Future<Optional<ActiveRun>> find(String runId) {
    return calls.statement(
        "find",
        () -> StoreChecks.requireRunId(runId),
        session -> session.first("run", Tuple.of(session.env(), runId), RunRows::read));
  }

  @Override
  public Future<Optional<ActiveRun>> findByInstance(String instanceId) {
    return calls.statement(
        "findByInstance",
        () -> StoreChecks.requireInstance(instanceId),
        session ->
            session.first("run_of_instance", Tuple.of(session.env(), instanceId), RunRows::read));
  }

  @Override
  public Future<List<FlushedStream>> flushed(RunFence fence) {
    return calls.statement(
        "flushed",
        () -> StoreChecks.requireFence(fence),
        session -> session.list(
            "flushed",
            Tuple.of(session.env(), fence.instanceId(), fence.runId()),
            row -> new FlushedStream(
                row.getString("stream"),
                row.getLong("run_attempted"),
                row.getLong("run_accepted"))));
  }

  @Override
  public Future<List<ActiveRun>> list() {
    return calls.statement(
        "list",
        () -> {},
        session -> session.list("active_runs", Tuple.of(session.env()), RunRows::read));
  }
}
