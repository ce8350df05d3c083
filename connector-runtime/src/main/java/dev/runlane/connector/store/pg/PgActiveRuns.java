package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.pg.PgValues.utc;

import dev.runlane.connector.store.StoreChecks;
import dev.runlane.connector.store.key.ControllerProcess;
import dev.runlane.connector.store.key.RunFence;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.key.RunSource;
import dev.runlane.connector.store.record.FlushedStream;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.run.ActiveRuns;
import dev.runlane.connector.store.run.BeginOutcome;
import dev.runlane.connector.store.run.BeginRun;
import dev.runlane.connector.store.run.CancelOutcome;
import dev.runlane.connector.store.run.RequestCancel;
import dev.runlane.connector.store.run.TakeOverRun;
import dev.runlane.connector.store.timeline.RecordedEvent;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The rows of active runs. */
final class PgActiveRuns implements ActiveRuns {
  private static final Parameters<ControllerProcess> OF_CONTROLLER = new Parameters<
          ControllerProcess>()
      .value("controller_id", ControllerProcess::controllerId)
      .value("host_id", ControllerProcess::hostId)
      .value("boot_id", ControllerProcess::bootId)
      .value("pid", ControllerProcess::pid)
      .value("start_ticks", ControllerProcess::startTicks)
      .value("address", ControllerProcess::address);
  private static final SqlStatement<PgSession.Given<BeginRun>> INSERT = PgSession.statement(
      "insert_run",
      new Parameters<BeginRun>()
          .value("instance_id", begin -> begin.run().connector().instanceId())
          .value("connector_id", begin -> begin.run().connector().connectorId())
          .value("run_id", begin -> begin.run().runId())
          .value("trace_id", begin -> begin.run().traceId())
          .value("now", begin -> utc(begin.now()))
          .value("source", begin -> begin.trigger().names().source())
          .value("trigger_kind", begin -> begin.trigger().names().kind())
          .value("automation_mode", begin -> begin.trigger().names().mode())
          .value("attempt", begin -> begin.trigger().attempt())
          .value("grant_id", BeginRun::grantId)
          .of(BeginRun::controller, OF_CONTROLLER));
  private static final Parameters<OfInstance> OF_RUN_OF_INSTANCE = new Parameters<OfInstance>()
      .value("instance_id", OfInstance::instanceId)
      .value("run_id", OfInstance::runId);
  private static final SqlStatement<PgSession.Given<OfInstance>> RUN_IN_THE_WAY =
      PgSession.statement("run_in_the_way", OF_RUN_OF_INSTANCE);
  /** Spends a claim on a schedule. */
  static final SqlStatement<PgSession.Given<BeginRun>> CLAIMED_SCHEDULE = PgSession.statement(
      "claimed_schedule",
      new Parameters<BeginRun>()
          .value("instance_id", begin -> begin.run().connector().instanceId())
          .value("claim", BeginRun::scheduleClaim)
          .value("now", begin -> utc(begin.now())));

  private static final SqlStatement<PgSession.Given<String>> ATTENDED =
      PgSession.statement("attended", PgStatements.OF_INSTANCE);
  private static final SqlStatement<PgSession.Given<BeginRun>> NOTE_START = PgSession.statement(
      "note_start",
      new Parameters<BeginRun>()
          .value("instance_id", begin -> begin.run().connector().instanceId())
          .value("now", begin -> utc(begin.now())));
  private static final SqlStatement<PgSession.Given<TakeOverRun>> TAKE_OVER = PgSession.statement(
      "take_over",
      new Parameters<TakeOverRun>()
          .value("run_id", TakeOverRun::runId)
          .value("generation", TakeOverRun::expectedGeneration)
          .of(TakeOverRun::controller, OF_CONTROLLER));
  private static final SqlStatement<PgSession.Given<Cancelled>> MARK_CANCELLED =
      PgSession.statement(
          "mark_cancelled",
          new Parameters<Cancelled>()
              .value("instance_id", Cancelled::instanceId)
              .value("run_id", Cancelled::runId)
              .value("now", cancelled -> utc(cancelled.now())));
  private static final SqlStatement<PgSession.Given<String>> OF_ONE_INSTANCE =
      PgSession.statement("run_of_instance", PgStatements.OF_INSTANCE);
  private static final SqlStatement<PgSession.Given<OfInstance>> FLUSHED =
      PgSession.statement("flushed", OF_RUN_OF_INSTANCE);
  private static final SqlStatement<PgSession.Given<@Nullable Void>> ALL =
      PgSession.statement("active_runs");

  static final SqlStatement<PgSession.Given<String>> RUN =
      PgSession.statement("run", PgStatements.OF_RUN);

  /** The active run with this id, locked against its end. */
  static final SqlStatement<PgSession.Given<String>> LOCK =
      PgSession.statement("lock_run", PgStatements.OF_RUN);

  /** Makes a run active no more. */
  static final SqlStatement<PgSession.Given<OfInstance>> DELETE =
      PgSession.statement("delete_run", OF_RUN_OF_INSTANCE);

  static final List<SqlStatement<?>> STATEMENTS = List.of(
      INSERT,
      RUN_IN_THE_WAY,
      CLAIMED_SCHEDULE,
      ATTENDED,
      NOTE_START,
      TAKE_OVER,
      MARK_CANCELLED,
      OF_ONE_INSTANCE,
      FLUSHED,
      ALL,
      RUN,
      LOCK,
      DELETE);

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
                .first(INSERT, command, RunRows::read)
                .compose(added -> added.isPresent()
                    ? afterInsert(session, command, added.get()).map(Optional::of)
                    : conflicting(session, command))
                .compose(outcome -> outcome.orElse(null) instanceof BeginOutcome.Begun
                    ? also.apply(session.connection()).map(outcome)
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

  private static Future<Optional<BeginOutcome>> conflicting(PgSession session, BeginRun command) {
    return session
        .first(RUN_IN_THE_WAY, OfInstance.of(command.run()), RunRows::read)
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
    return session.update(DELETE, OfInstance.of(command.run())).map(deleted -> outcome);
  }

  private static Future<Boolean> spendClaim(PgSession session, BeginRun command) {
    return command.scheduleClaim() == null
        ? Future.succeededFuture(true)
        : session.update(CLAIMED_SCHEDULE, command).map(spent -> spent == 1);
  }

  private static Future<BeginOutcome> begun(PgSession session, BeginRun command, ActiveRun added) {
    String instanceId = command.run().connector().instanceId();
    Future<Integer> attended = command.trigger().source() == RunSource.MANUAL
        ? session.update(ATTENDED, instanceId)
        : Future.succeededFuture(0);
    return attended
        .compose(seen -> session.update(NOTE_START, command))
        .map(noted -> new BeginOutcome.Begun(added));
  }

  /** How a run ended, if it has. */
  static Future<Optional<RecordedEvent>> terminal(PgSession session, String runId) {
    return session.first(PgTimeline.TERMINAL_EVENTS, List.of(runId), EventRows::read);
  }

  @Override
  public Future<Optional<ActiveRun>> takeOver(TakeOverRun command) {
    return calls.statement(
        "takeOver",
        () -> StoreChecks.requireTakeOver(command),
        session -> session.first(TAKE_OVER, command, RunRows::read));
  }

  @Override
  public Future<CancelOutcome> requestCancel(RequestCancel command) {
    return calls.transaction(
        "requestCancel", () -> StoreChecks.requireCancel(command), session -> session
            .first(LOCK, command.runId(), RunRows::read)
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
            EventRows.APPEND,
            new EventRows.Told(
                new PgStatements.Fenced(run.fence(), command.now()), List.of(command.event())))
        .compose(told -> session.first(
            MARK_CANCELLED,
            new Cancelled(run.run().connector().instanceId(), command.runId(), command.now()),
            RunRows::read))
        .map(marked -> new CancelOutcome.Accepted(marked.orElse(run), true));
  }

  @Override
  public Future<Optional<ActiveRun>> find(String runId) {
    return calls.statement(
        "find",
        () -> StoreChecks.requireRunId(runId),
        session -> session.first(RUN, runId, RunRows::read));
  }

  @Override
  public Future<Optional<ActiveRun>> findByInstance(String instanceId) {
    return calls.statement(
        "findByInstance",
        () -> StoreChecks.requireInstance(instanceId),
        session -> session.first(OF_ONE_INSTANCE, instanceId, RunRows::read));
  }

  @Override
  public Future<List<FlushedStream>> flushed(RunFence fence) {
    return calls.statement(
        "flushed",
        () -> StoreChecks.requireFence(fence),
        session -> session.list(
            FLUSHED,
            new OfInstance(fence.instanceId(), fence.runId()),
            row -> new FlushedStream(
                row.getString("stream"),
                row.getLong("run_attempted"),
                row.getLong("run_accepted"))));
  }

  @Override
  public Future<List<ActiveRun>> list() {
    return calls.statement("list", () -> {}, session -> session.list(ALL, RunRows::read));
  }

  /** A run of a connection. */
  record OfInstance(String instanceId, String runId) {
    static OfInstance of(RunIdentity run) {
      return new OfInstance(run.connector().instanceId(), run.runId());
    }
  }

  private record Cancelled(String instanceId, String runId, Instant now) {}
}
