package dev.runlane.storage.pg;

import static dev.runlane.run.StorageConflictKind.EVENT_SEQUENCE;
import static dev.runlane.run.StorageConflictKind.LEASE_OWNERSHIP;
import static dev.runlane.storage.StorageCapability.PROCESS_LOCAL_STATE;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.operator.OperatorStore;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.schema.Migrator;
import dev.runlane.run.Environment;
import dev.runlane.run.Lease;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.CancellationSource;
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.CommandConsistency;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.StatementObserver;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.StorageClock;
import dev.runlane.storage.StorageSchema;
import dev.runlane.storage.limit.QueueLimitStorage;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.outbox.OutboxView;
import dev.runlane.storage.pg.read.Occurrences;
import dev.runlane.storage.pg.read.Pruning;
import dev.runlane.storage.pg.read.Reads;
import dev.runlane.storage.pg.read.Scans;
import dev.runlane.storage.pg.row.Lists;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.storage.pg.write.Acquire;
import dev.runlane.storage.pg.write.Acquisitions;
import dev.runlane.storage.pg.write.Append;
import dev.runlane.storage.pg.write.DirectWrites;
import dev.runlane.storage.pg.write.FirstLeases;
import dev.runlane.storage.pg.write.Writes;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.GetRunByIdempotencyKey;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.ListRunsNeedingCancellationFinalization;
import dev.runlane.storage.read.ListRunsNeedingDelivery;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.RunnableRunRef;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.HeartbeatRunLease;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.PrunedRuns;
import dev.runlane.storage.run.ReleaseRunLease;
import dev.runlane.storage.run.ReserveRunDispatch;
import dev.runlane.storage.run.ResetIdempotencyKey;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.ClaimedOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.storage.schedule.ScheduleStorage;
import dev.runlane.storage.step.StepStorage;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.SqlConnection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs in Postgres. Any number of processes may share one schema; each makes one adapter, which may be
 * called from any context and completes on the caller's.
 *
 * <p>Fails with a retryable {@code StorageUnavailable} while Postgres cannot be reached; after a lost
 * connection it is unknown whether the command was stored.
 */
public final class PgStorageAdapter implements StorageAdapter {
  static final Set<StorageCapability> ALL =
      Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(PROCESS_LOCAL_STATE)));

  private final PgParts parts;
  private final Set<StorageCapability> capabilities;
  private final Function<PgSession.Scope, Writes> writes;
  private final boolean isView; // of a storage that is started and closed by itself
  private final @Nullable SqlConnection joined;
  private final PgSession session;
  private final Reads reads;
  private final Lists lists;
  private final Scans scans;
  private final Occurrences occurrences;
  private final Pruning pruning;

  private PgStorageAdapter(
      PgParts parts,
      PgSession session,
      Set<StorageCapability> capabilities,
      @Nullable SqlConnection joined) {
    this(
        parts,
        session,
        capabilities,
        joined,
        joined == null
            ? parts::gathered
            : scope -> new DirectWrites(joined, parts.statements(session, scope)),
        false);
  }

  private PgStorageAdapter(
      PgParts parts,
      PgSession session,
      Set<StorageCapability> capabilities,
      @Nullable SqlConnection joined,
      Function<PgSession.Scope, Writes> writes,
      boolean isView) {
    this.parts = parts;
    this.session = session;
    this.capabilities = capabilities;
    this.joined = joined;
    this.reads = new Reads(session);
    this.lists = new Lists(session);
    this.scans = new Scans(session, parts.bindings());
    this.occurrences = new Occurrences(session);
    this.pruning = new Pruning(session);
    this.writes = writes;
    this.isView = isView;
  }

  /** An adapter with a pool of its own, which opens its first connection in {@link #start()}. */
  public static PgStorageAdapter create(Vertx vertx, PgStorageOptions options) {
    return create(vertx, options, StatementObserver.NONE);
  }

  /** The same, whose statements somebody is told of. */
  public static PgStorageAdapter create(
      Vertx vertx, PgStorageOptions options, StatementObserver observer) {
    PgParts parts = PgParts.create(vertx, new PgStorageOptions(options), observer);
    return new PgStorageAdapter(parts, parts.session(), ALL, null);
  }

  /** What brings a schema forward, for tools that do so apart from any process. Throws {@code ConfigurationInvalid}. */
  @SuppressWarnings("exports") // for the project's own tools
  public static Migrator migrator(String schema) {
    return PgParts.migrator(schema);
  }

  /**
   * Makes the indexes that migrations leave to processes because a table was not small, and drops those that nothing
   * follows any more, for tools: the role of the processes may not be allowed to. Completes with what is left when it
   * is done, which takes as long as Postgres needs for them beside readers and writers; at once, with all that was
   * left, where another process is at it. Fails with {@code ConfigurationInvalid} through a pooler.
   */
  public static Future<UnsettledIndexes> settleIndexes(
      Vertx vertx, PgConnectOptions options, String schema) {
    return PgParts.settleIndexes(vertx, options, schema);
  }

  /** What {@link #settleIndexes} would look after. Changes nothing, and needs no table. */
  public static Future<UnsettledIndexes> unsettledIndexes(
      Vertx vertx, PgConnectOptions options, String schema) {
    return PgParts.unsettledIndexes(vertx, options, schema);
  }

  /** The same storage, reporting fewer capabilities: what it does not report it refuses. */
  public PgStorageAdapter reporting(Set<StorageCapability> reported) {
    EnumSet<StorageCapability> kept = EnumSet.copyOf(ALL);
    kept.retainAll(reported);
    return new PgStorageAdapter(parts, session, Collections.unmodifiableSet(kept), joined);
  }

  /**
   * A storage whose writes join the transaction that the caller has begun on {@code connection}: they
   * exist if and only if the caller commits. Nothing is gathered, outbox messages are pending and no
   * wakeup is sent; a lost race leaves the transaction usable. The connection's search path and settings
   * do not matter. Start and close of the result do nothing.
   *
   * <p>The connection stays the caller's, in silence too: a call that gets no answer within the {@link
   * PgStorageOptions#getStatementDeadline() statement deadline} fails, and the caller has to give the connection up.
   */
  public StorageAdapter on(SqlConnection connection) {
    return new PgStorageAdapter(parts, session.on(connection), capabilities, connection);
  }

  /** Wakeups over LISTEN and NOTIFY on this storage's own connections, for a lane without a broker. */
  public PgNotifyTransport notifyTransport() {
    return new PgNotifyTransport(parts);
  }

  @Override
  public Set<StorageCapability> capabilities() {
    return capabilities;
  }

  @Override
  public Optional<StorageAdapter> withWakeups(TransportAdapter transport) {
    return joined == null && transport instanceof PgNotifyTransport own && own.isOf(parts)
        ? Optional.of(new PgStorageAdapter(parts, session, capabilities, null, parts::waking, true))
        : Optional.empty();
  }

  @Override
  public Future<Void> start() {
    return joined == null && !isView
        ? AdapterCall.of("start", parts::start)
        : Future.succeededFuture();
  }

  @Override
  public Future<Void> close() {
    if (isView) {
      return AdapterCall.of("close", parts.creationWakeups()::sent);
    }
    return joined == null ? AdapterCall.of("close", parts::close) : Future.succeededFuture();
  }

  @Override
  public Optional<BatchStorage> batch() {
    return joined == null
        ? Optional.of(new PgBatchStorage(this, parts, capabilities))
        : Optional.empty();
  }

  @Override
  public Optional<StorageClock> clock() {
    return joined == null ? Optional.of(parts::now) : Optional.empty();
  }

  /** The name of the schema that has its tables. */
  public String schemaName() {
    return parts.schemaName();
  }

  @Override
  public Optional<StorageSchema> schema() {
    return joined == null
        ? Optional.of(() -> AdapterCall.of("schema.verify", parts::verify))
        : Optional.empty();
  }

  @Override
  public Optional<OutboxView> outbox() {
    return Optional.of(query -> AdapterCall.of("outboxMessagesOf", () -> {
      CommandChecks.check(query);
      require(StorageCapability.PERSISTS_OUTBOX, "outboxMessagesOf");
      return statement(query.environment(), scope -> reads.messages(scope, query.runId()));
    }));
  }

  @Override
  public Optional<StepStorage> steps() {
    return joined == null ? Optional.of(new PgSteps(parts, capabilities)) : Optional.empty();
  }

  @Override
  public Optional<ScheduleStorage> schedules() {
    return joined == null
        ? Optional.of(new PgSchedules(parts, occurrences, capabilities))
        : Optional.empty();
  }

  @Override
  public Optional<QueueLimitStorage> queueLimits() {
    return joined == null ? Optional.of(new PgQueueLimits(parts)) : Optional.empty();
  }

  @Override
  public Optional<OperatorStore> operator() {
    return joined == null
        ? Optional.of(new PgOperatorStore(parts, capabilities))
        : Optional.empty();
  }

  @Override
  public Optional<CancellationSource> cancellations() {
    return joined == null ? Optional.of(parts.cancellations()) : Optional.empty();
  }

  @Override
  public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
    return AdapterCall.of("appendRunEvents", () -> {
      CommandChecks.check(command);
      Capabilities.requireForAppend(capabilities, command);
      parts.leaseRequested(command.now(), command.projectedRun().lease());
      Optional<RunlaneException> violation = CommandConsistency.violation(command);
      return in(
          command.environment(),
          scope -> violation.isPresent()
              ? refuse(scope, command, violation.get())
              : append(scope, command));
    });
  }

  /**
   * Runs to be created without keys or leases, each of another id, as the usual call has them: nothing is asked of one
   * that is not asked of all.
   */
  Future<List<CommandOutcome<AppendedRun>>> createAll(List<AppendRunEvents> creations) {
    return in(creations.get(0).environment(), scope -> writes.apply(scope).createAll(creations));
  }

  private Future<AppendedRun> append(PgSession.Scope scope, AppendRunEvents command) {
    if (command.expectedSequence() == 0) {
      return FirstLeases.isNeededFor(command)
          ? createAtOnce(scope, command, 1)
          : writes.apply(scope).create(command);
    }
    Future<AppendedRun> appended = writes.apply(scope).append(Append.of(command));
    boolean cancels =
        command.events().stream().anyMatch(RunEvent.CancellationRequested.class::isInstance);
    return cancels && joined == null
        ? appended.compose(run -> parts
            .cancellations()
            .notifyRunOwner(command.environment(), command.runId())
            .map(run))
        : appended;
  }

  private Future<AppendedRun> createAtOnce(
      PgSession.Scope scope, AppendRunEvents command, int tries) {
    Acquisitions pooled = parts.statements(parts.session(), scope).acquisitions();
    return (joined == null
            ? FirstLeases.prepare(pooled, command)
            : parts.statement(() -> FirstLeases.prepare(pooled, command)))
        .compose(ready -> joined == null
            ? parts.transaction(
                connection -> FirstLeases.create(directWrites(connection, scope), command))
            : createJoined(directWrites(joined, scope), command))
        .recover(failure ->
            joined == null && PgParts.mayBeTriedAgain(failure) && tries < PgSession.MOST_TRIES
                ? createAtOnce(scope, command, tries + 1)
                : PgFailures.<AppendedRun>during("appendRunEvents").apply(failure));
  }

  private static Future<AppendedRun> createJoined(DirectWrites writes, AppendRunEvents command) {
    return writes.behindSavepoint(() -> FirstLeases.create(writes, command));
  }

  private DirectWrites directWrites(SqlConnection connection, PgSession.Scope scope) {
    return new DirectWrites(connection, parts.statements(parts.session().on(connection), scope));
  }

  @Override
  public Future<Optional<RunRecord>> getRun(GetRun query) {
    return AdapterCall.of("getRun", () -> {
      CommandChecks.check(query);
      return statement(query.environment(), scope -> reads.run(scope, query.runId()));
    });
  }

  @Override
  public Future<List<RunRecord>> getRuns(GetRuns query) {
    return AdapterCall.of("getRuns", () -> {
      CommandChecks.check(query);
      return statement(query.environment(), scope -> reads.runs(scope, query.runIds()));
    });
  }

  @Override
  public Future<List<RunSummary>> getRunSummaries(GetRuns query) {
    return AdapterCall.of("getRunSummaries", () -> {
      CommandChecks.check(query);
      return statement(query.environment(), scope -> reads.summaries(scope, query.runIds()));
    });
  }

  @Override
  public Future<Optional<RunRecord>> getRunByIdempotencyKey(GetRunByIdempotencyKey query) {
    return AdapterCall.of("getRunByIdempotencyKey", () -> {
      require(StorageCapability.ENFORCES_IDEMPOTENCY, "getRunByIdempotencyKey");
      CommandChecks.check(query);
      return statement(query.environment(), scope -> reads.byIdempotencyKey(scope, query));
    });
  }

  @Override
  public Future<Void> resetIdempotencyKey(ResetIdempotencyKey command) {
    return AdapterCall.of("resetIdempotencyKey", () -> {
      require(StorageCapability.ENFORCES_IDEMPOTENCY, "resetIdempotencyKey");
      CommandChecks.check(command);
      return in(command.environment(), scope -> reads.reset(scope, command));
    });
  }

  @Override
  public Future<Page<RunSummary>> listRuns(ListRuns query) {
    return AdapterCall.of("listRuns", () -> {
      require(StorageCapability.READS_RUN_HISTORY, "listRuns");
      CommandChecks.check(query);
      return statement(query.environment(), scope -> lists.runs(scope, query));
    });
  }

  @Override
  public Future<Page<RunEventRecord>> listRunEvents(ListRunEvents query) {
    return AdapterCall.of("listRunEvents", () -> {
      require(StorageCapability.READS_RUN_HISTORY, "listRunEvents");
      CommandChecks.check(query);
      return statement(query.environment(), scope -> lists.events(scope, query));
    });
  }

  @Override
  public Future<List<RunnableRunRef>> listRunnableRuns(ListRunnableRuns query) {
    return AdapterCall.of("listRunnableRuns", () -> {
      require(StorageCapability.LEASES_RUNS, "listRunnableRuns");
      Capabilities.requireForQueues(capabilities, query.queues(), "listRunnableRuns with a limit");
      CommandChecks.check(query);
      return statement(query.environment(), scope -> scans.runnable(scope, query));
    });
  }

  @Override
  public Future<List<RunnableRunRef>> listRunsNeedingDispatch(ListRunsNeedingDispatch query) {
    return AdapterCall.of("listRunsNeedingDispatch", () -> {
      require(StorageCapability.ENFORCES_QUEUE_CONCURRENCY, "listRunsNeedingDispatch");
      CommandChecks.check(query);
      return statement(query.environment(), scope -> scans.needingDispatch(scope, query));
    });
  }

  @Override
  public Future<List<RunnableRunRef>> listRunsNeedingCancellationFinalization(
      ListRunsNeedingCancellationFinalization query) {
    return AdapterCall.of("listRunsNeedingCancellationFinalization", () -> {
      require(StorageCapability.LEASES_RUNS, "listRunsNeedingCancellationFinalization");
      CommandChecks.check(query);
      return statement(
          query.environment(), scope -> scans.needingCancellationFinalization(scope, query));
    });
  }

  @Override
  public Future<List<RunnableRunRef>> listRunsNeedingDelivery(ListRunsNeedingDelivery query) {
    return AdapterCall.of("listRunsNeedingDelivery", () -> {
      require(StorageCapability.PERSISTS_OUTBOX, "listRunsNeedingDelivery");
      CommandChecks.check(query);
      return statement(query.environment(), scope -> scans.needingDelivery(scope, query));
    });
  }

  @Override
  public Future<Optional<AppendedRun>> reserveRunDispatch(ReserveRunDispatch command) {
    return AdapterCall.of("reserveRunDispatch", () -> {
      require(StorageCapability.ENFORCES_QUEUE_CONCURRENCY, "reserveRunDispatch");
      CommandChecks.check(command);
      Acquire wanted = Acquire.of(command);
      return acquire(command.environment(), wanted, CommandConsistency.violation(command));
    });
  }

  @Override
  public Future<Optional<AppendedRun>> claimRunLease(ClaimRunLease command) {
    return AdapterCall.of("claimRunLease", () -> {
      require(StorageCapability.LEASES_RUNS, "claimRunLease");
      Capabilities.requireForQueues(
          capabilities, List.of(command.queuePolicy()), "claimRunLease with a limit");
      CommandChecks.check(command);
      parts.leaseRequested(command.now(), command.projectedRun().lease());
      Acquire wanted = Acquire.of(command);
      return acquire(command.environment(), wanted, CommandConsistency.violation(command));
    });
  }

  /** An inconsistent command is refused, once it is known not to be a stale one. */
  private Future<Optional<AppendedRun>> acquire(
      Environment environment, Acquire wanted, Optional<RunlaneException> violation) {
    return in(
        environment,
        scope -> violation.isEmpty()
            ? writes.apply(scope).acquire(wanted)
            : sequence(scope, wanted.runId())
                .compose(actual -> actual == wanted.expected()
                    ? Future.failedFuture(violation.get())
                    : Future.succeededFuture(Optional.empty())));
  }

  @Override
  public Future<AppendedRun> heartbeatRunLease(HeartbeatRunLease command) {
    return AdapterCall.of("heartbeatRunLease", () -> {
      require(StorageCapability.LEASES_RUNS, "heartbeatRunLease");
      CommandChecks.check(command);
      parts.leaseRequested(command.now(), command.event().lease());
      Optional<RunlaneException> violation = CommandConsistency.violation(command);
      return in(
          command.environment(),
          scope -> violation.isPresent()
              ? refuseUnowned(
                  scope,
                  command.runId(),
                  command.expectedSequence(),
                  command.event().lease(),
                  violation.get())
              : writes.apply(scope).append(Append.of(command)));
    });
  }

  @Override
  public Future<Void> releaseRunLease(ReleaseRunLease command) {
    return AdapterCall.of("releaseRunLease", () -> {
      require(StorageCapability.LEASES_RUNS, "releaseRunLease");
      CommandChecks.check(command);
      return Future.succeededFuture(); // the append of the outcome has cleared the lease already
    });
  }

  @Override
  public Future<Optional<ClaimedOccurrence>> claimScheduleOccurrence(
      ClaimScheduleOccurrence command) {
    return AdapterCall.of("claimScheduleOccurrence", () -> {
      require(StorageCapability.CLAIMS_SCHEDULE_OCCURRENCES, "claimScheduleOccurrence");
      CommandChecks.check(command);
      return statement(command.environment(), scope -> occurrences.claim(scope, command));
    });
  }

  @Override
  public Future<Void> completeScheduleOccurrence(CompleteScheduleOccurrence command) {
    return AdapterCall.of("completeScheduleOccurrence", () -> {
      require(StorageCapability.CLAIMS_SCHEDULE_OCCURRENCES, "completeScheduleOccurrence");
      CommandChecks.check(command);
      return statement(command.environment(), scope -> occurrences.complete(scope, command));
    });
  }

  @Override
  public Future<List<ClaimedOutboxMessage>> claimOutboxMessages(ClaimOutboxMessages command) {
    return AdapterCall.of("claimOutboxMessages", () -> {
      require(StorageCapability.PERSISTS_OUTBOX, "claimOutboxMessages");
      CommandChecks.check(command);
      return in(
          command.environment(),
          scope -> parts.statements(session, scope).outbox().claim(command));
    });
  }

  @Override
  public Future<Void> markOutboxMessagesPublished(MarkOutboxMessagesPublished command) {
    return AdapterCall.of("markOutboxMessagesPublished", () -> {
      require(StorageCapability.PERSISTS_OUTBOX, "markOutboxMessagesPublished");
      CommandChecks.check(command);
      return command.messages().isEmpty()
          ? Future.succeededFuture()
          : in(
              command.environment(),
              scope -> writes.apply(scope).markPublished(command).mapEmpty());
    });
  }

  @Override
  public Future<Void> markOutboxMessagesFailed(MarkOutboxMessagesFailed command) {
    return AdapterCall.of("markOutboxMessagesFailed", () -> {
      require(StorageCapability.PERSISTS_OUTBOX, "markOutboxMessagesFailed");
      CommandChecks.check(command);
      return in(
          command.environment(),
          scope -> parts.statements(session, scope).outbox().markFailed(command));
    });
  }

  @Override
  public Future<Void> markOutboxMessagesDeadLettered(MarkOutboxMessagesDeadLettered command) {
    return AdapterCall.of("markOutboxMessagesDeadLettered", () -> {
      require(StorageCapability.PERSISTS_OUTBOX, "markOutboxMessagesDeadLettered");
      CommandChecks.check(command);
      return in(
          command.environment(),
          scope -> parts.statements(session, scope).outbox().markDeadLettered(command));
    });
  }

  @Override
  public Future<PrunedRuns> pruneRuns(PruneRuns command) {
    return AdapterCall.of("pruneRuns", () -> {
      require(StorageCapability.PRUNES_RUNS, "pruneRuns");
      CommandChecks.check(command);
      return in(command.environment(), scope -> pruning.prune(scope, command));
    });
  }

  private void require(StorageCapability capability, String method) {
    Capabilities.require(capabilities, capability, method);
  }

  /**
   * A read, or a statement of its own, that is sent again where somebody locks what it needs for longer than it waits;
   * a caller's transaction is over by then.
   */
  private <T> Future<T> statement(
      Environment environment, Function<PgSession.Scope, Future<T>> work) {
    return in(
        environment,
        scope -> joined == null ? parts.statement(() -> work.apply(scope)) : work.apply(scope));
  }

  private <T> Future<T> in(Environment environment, Function<PgSession.Scope, Future<T>> work) {
    return joined == null
        ? parts.in(environment, work)
        : parts
            .timers()
            .within(
                parts.statementDeadline(),
                parts.on(joined, environment, work),
                TimeoutException::new)
            .recover(PgFailures.during("waiting for the caller's connection"));
  }

  /** Refuses an inconsistent command, once it is known not to be a stale one. */
  private <T> Future<T> refuse(
      PgSession.Scope scope, String runId, long expected, RunlaneException violation) {
    return sequence(scope, runId)
        .compose(actual -> Future.failedFuture(
            actual == expected
                ? violation
                : RunlaneException.conflict(
                    EVENT_SEQUENCE, "run %s is at sequence %d, not %d", runId, actual, expected)));
  }

  private Future<AppendedRun> refuse(
      PgSession.Scope scope, AppendRunEvents command, RunlaneException violation) {
    Lease needed = command.heldLease();
    return needed == null
        ? refuse(scope, command.runId(), command.expectedSequence(), violation)
        : refuseUnowned(scope, command.runId(), command.expectedSequence(), needed, violation);
  }

  /** Refuses an inconsistent command that needs a lease, once that is in force and the command not stale. */
  private Future<AppendedRun> refuseUnowned(
      PgSession.Scope scope,
      String runId,
      long expected,
      Lease needed,
      RunlaneException violation) {
    return reads.run(scope, runId).compose(run -> {
      boolean owned = run.map(RunRecord::lease)
          .filter(lease ->
              lease.token().equals(needed.token()) && lease.workerId().equals(needed.workerId()))
          .isPresent();
      return owned
          ? refuse(scope, runId, expected, violation)
          : Future.failedFuture(RunlaneException.conflict(
              LEASE_OWNERSHIP,
              "run %s is not leased by worker %s with the token given",
              runId,
              needed.workerId()));
    });
  }

  private Future<Long> sequence(PgSession.Scope scope, String runId) {
    return reads.run(scope, runId).map(run -> run.map(RunRecord::eventSequence).orElse(0L));
  }
}
