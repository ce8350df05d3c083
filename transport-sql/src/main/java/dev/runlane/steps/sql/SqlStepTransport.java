package dev.runlane.steps.sql;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.postgres.BatchLimits;
import dev.runlane.postgres.ConnectionBounds;
import dev.runlane.postgres.LeaseBound;
import dev.runlane.postgres.PgConnections;
import dev.runlane.postgres.PgListener;
import dev.runlane.postgres.PgTuning;
import dev.runlane.postgres.StatementSlots;
import dev.runlane.postgres.statement.BoundStatement;
import dev.runlane.postgres.statement.SchemaName;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.StepChecks;
import dev.runlane.steps.StepSignals;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.result.ClaimStepResults;
import dev.runlane.steps.result.ClaimedStepResult;
import dev.runlane.steps.result.DiscardStepResults;
import dev.runlane.steps.result.ListStepResults;
import dev.runlane.steps.result.RecordOutcome;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.ReleaseStepResults;
import dev.runlane.steps.result.SettleOutcome;
import dev.runlane.steps.result.SettleStepResults;
import dev.runlane.steps.result.StepResultRef;
import dev.runlane.steps.sql.mysql.MysqlStepTables;
import dev.runlane.steps.sql.postgres.PgStepSignals;
import dev.runlane.steps.sql.postgres.PgStepTables;
import dev.runlane.steps.sql.row.StepTables;
import dev.runlane.steps.sql.row.StoredOutcome;
import dev.runlane.steps.sql.row.TableSettings;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.DispatchOutcome;
import dev.runlane.steps.task.DispatchSteps;
import dev.runlane.steps.task.ListMissingSteps;
import dev.runlane.steps.task.ListStepTasks;
import dev.runlane.steps.task.ReleaseStepTasks;
import dev.runlane.steps.task.RenewStepTasks;
import dev.runlane.steps.task.StepTask;
import dev.runlane.steps.task.StepTaskState;
import dev.runlane.steps.task.WithdrawSteps;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Steps over the two published tables, which engines and workers in other languages share; on MySQL and
 * MariaDB {@link MysqlSteps} makes it. Each process makes one, which may be called from any context and completes
 * on the caller's.
 *
 * <p>The tables are created before the first command that needs them, and again and again while that fails:
 * a process may start before its database.
 */
public final class SqlStepTransport implements StepTransport {
  private static final Duration LOCK_TIMEOUT = Duration.ofMillis(50);
  private static final Duration STATEMENT_TIMEOUT = Duration.ofSeconds(30);
  private static final int MOST_WAITING = 10_000;
  private static final int MOST_TRIES = 5;

  private final Timers timers;
  private final StepTables tables;
  private final Readiness ready;
  private final Ids ids;
  private final BatchedSteps<StepTables.Stamped<StepTask>, DispatchOutcome> dispatches;
  private final BatchedSteps<StepTables.Stamped<StepTask>, DispatchOutcome> missingDispatches;
  private final BatchedSteps<StepTables.Stamped<RecordStepResults.Ended>, RecordOutcome> records;
  private final BatchedSteps<StepTables.Stamped<SettleStepResults.Settlement>, SettleOutcome>
      settlements;
  private final @Nullable Pool ownPool;
  private final @Nullable PgListener listener;
  private final @Nullable StepSignals signals;
  private final SignalSender sender;
  private final StatementSlots slots;
  private final LeaseBound leases;
  private final Duration longestCall;
  private volatile boolean closed;

  private SqlStepTransport(
      Vertx vertx,
      StepTables tables,
      SqlStepOptions options,
      @Nullable Pool ownPool,
      @Nullable PgListener listener,
      SignalSender sender,
      LeaseBound leases,
      Context context) {
    this.timers = Timers.of(vertx);
    this.slots = new StatementSlots(context, options.getStatementSlots());
    BatchLimits bounds = new BatchLimits(
        options.getBatchSize(),
        options.getMaxPending(),
        options.getMaxPendingBytes(),
        () -> leases.atMost(options.getStatementDeadline()));
    this.leases = leases;
    this.longestCall = options.getStatementDeadline().multipliedBy(2);
    this.tables = tables;
    this.ownPool = ownPool;
    this.listener = listener;
    this.signals = listener == null ? null : new PgStepSignals(listener, options.getPrefix());
    this.sender = sender;
    this.ids = new Ids(Clock.system(), Randomness.system());
    this.ready = new Readiness(
        vertx, context, timers, options.getStatementDeadline(), () -> prepare(MOST_TRIES));
    this.dispatches = new BatchedSteps<>(
        vertx,
        slots,
        bounds,
        tables.failures(),
        "dispatchSteps",
        each -> each.value().stepId(),
        each -> size(each.value()),
        tables::dispatch);
    this.missingDispatches = new BatchedSteps<>(
        vertx,
        slots,
        bounds,
        tables.failures(),
        "dispatchMissingSteps",
        each -> each.value().stepId(),
        each -> size(each.value()),
        tables::dispatchMissing);
    this.records = new BatchedSteps<>(
        vertx,
        slots,
        bounds,
        tables.failures(),
        "recordStepResults",
        each -> each.value().claim().stepId(),
        each -> StoredOutcome.size(each.value().outcome()),
        tables::record);
    this.settlements = new BatchedSteps<>(
        vertx,
        slots,
        bounds,
        tables.failures(),
        "settleStepResults",
        each -> each.value().claim().stepId(),
        each -> size(each.value().next()),
        tables::settle);
  }

  /**
   * On PostgreSQL, with a pool and a LISTEN connection of its own, which {@link #close} closes.
   *
   * @param address how to connect; settings for the planner are added to a copy
   */
  public static SqlStepTransport postgres(
      Vertx vertx, PgConnectOptions address, SqlStepOptions options) {
    SqlStepOptions copy = new SqlStepOptions(options);
    LeaseBound leases = new LeaseBound(Timers.of(vertx));
    Pool pool = PgConnections.pool(
        vertx,
        tuned(address),
        new PoolOptions().setMaxSize(copy.getPoolSize()).setMaxWaitQueueSize(MOST_WAITING),
        bounds(copy, leases));
    return onPostgres(vertx, pool, pool, new PgListener(vertx, address), leases, copy);
  }

  /** Everything these tables do is about a claim. */
  static ConnectionBounds bounds(SqlStepOptions options, LeaseBound leases) {
    return ConnectionBounds.of(options.getStatementDeadline(), options.getCloseTimeout())
        .underLease(leases);
  }

  /**
   * Without statistics a bitmap of a group's whole backlog, sorted, looks cheaper to the planner than the
   * first rows of the index in its order. Nor is anything sorted that an index has in its order: it is by their order
   * that results are found by the index of their key and by no other.
   */
  public static PgConnectOptions tuned(PgConnectOptions address) {
    PgConnectOptions tuned = PgTuning.tuned(address, LOCK_TIMEOUT, STATEMENT_TIMEOUT);
    tuned.addProperty("enable_bitmapscan", "off");
    tuned.addProperty("enable_sort", "off");
    return tuned;
  }

  /**
   * On PostgreSQL, with the application's pool, which stays the application's to close. Signals are sent but
   * not heard: engine and workers of this process poll.
   */
  public static SqlStepTransport postgres(Vertx vertx, Pool pool, SqlStepOptions options) {
    return onPostgres(
        vertx, pool, null, null, new LeaseBound(Timers.of(vertx)), new SqlStepOptions(options));
  }

  /**
   * On PostgreSQL, with the application's pool and a LISTEN connection of its own.
   *
   * @param listening how that connection is made: directly, not through a transaction pooler
   */
  public static SqlStepTransport postgres(
      Vertx vertx, Pool pool, PgConnectOptions listening, SqlStepOptions options) {
    return onPostgres(
        vertx,
        pool,
        null,
        new PgListener(vertx, listening),
        new LeaseBound(Timers.of(vertx)),
        new SqlStepOptions(options));
  }

  private static SqlStepTransport onPostgres(
      Vertx vertx,
      Pool pool,
      @Nullable Pool ownPool,
      @Nullable PgListener listener,
      LeaseBound leases,
      SqlStepOptions options) {
    Context context = StatementSlots.contextOf(vertx);
    BoundStatement<PgStepTables.Signal> signal =
        PgStepTables.statements(settings(options)).get(PgStepTables.SIGNAL);
    String channel = PgStepSignals.channel(options.getPrefix());
    SignalSender sender = new SignalSender(
        context,
        Timers.of(vertx),
        payload -> signal.execute(pool, new PgStepTables.Signal(channel, payload)));
    return new SqlStepTransport(
        vertx,
        new PgStepTables(Timers.of(vertx), pool, settings(options)),
        options,
        ownPool,
        listener,
        sender,
        leases,
        context);
  }

  /** On MySQL or MariaDB, where nobody can be signalled. */
  static SqlStepTransport onMysql(
      Vertx vertx, Pool pool, @Nullable Pool ownPool, LeaseBound leases, SqlStepOptions options) {
    Context context = StatementSlots.contextOf(vertx);
    SignalSender silent =
        new SignalSender(context, Timers.of(vertx), payload -> Future.succeededFuture());
    return new SqlStepTransport(
        vertx,
        new MysqlStepTables(pool, settings(options)),
        options,
        ownPool,
        null,
        silent,
        leases,
        context);
  }

  static TableSettings settings(SqlStepOptions options) {
    return new TableSettings(
        new SchemaName(options.getSchema()),
        options.getPrefix(),
        options.isCreateTables(),
        options.isSignalTriggers());
  }

  /**
   * The engine's side inside the transaction that the caller has begun on {@code connection}, where the
   * tables share the engine's database: what it dispatches, settles or withdraws is so if and only if the
   * caller commits. Nothing is gathered and no signal is sent; {@link #wake} does that after the commit.
   */
  public StepTransport on(SqlConnection connection) {
    return new JoinedSteps(tables.joining(connection), ready);
  }

  /** Notifies all that listen that tasks may be there, for example after a commit of one's own. */
  public void wake(Set<String> groups) {
    sender.tasks(groups);
  }

  @Override
  public Future<Void> close() {
    closed = true;
    slots.close();
    return AdapterCall.of("close", () -> Future.join(
            listener == null ? Future.succeededFuture() : listener.close(),
            ownPool == null ? Future.succeededFuture() : ownPool.close())
        .mapEmpty());
  }

  @Override
  public Optional<StepSignals> signals() {
    return Optional.ofNullable(signals);
  }

  @Override
  public Future<List<DispatchOutcome>> dispatchSteps(DispatchSteps command) {
    return dispatch("dispatchSteps", command, dispatches);
  }

  @Override
  public Future<List<DispatchOutcome>> dispatchMissingSteps(DispatchSteps command) {
    return dispatch("dispatchMissingSteps", command, missingDispatches);
  }

  private Future<List<DispatchOutcome>> dispatch(
      String operation,
      DispatchSteps command,
      BatchedSteps<StepTables.Stamped<StepTask>, DispatchOutcome> gathered) {
    return during(operation, () -> {
      StepChecks.check(command);
      long now = command.now().toEpochMilli();
      return ready
          .reached()
          .compose(there -> gathered
              .submit(stamped(command.steps(), now))
              .onFailure(some -> sender.tasks( // the others may be stored
                  command.steps().stream().map(StepTask::group).collect(Collectors.toSet()))))
          .map(outcomes -> {
            sender.tasks(IntStream.range(0, outcomes.size())
                .filter(step -> outcomes.get(step) == DispatchOutcome.DISPATCHED)
                .mapToObj(step -> command.steps().get(step).group())
                .collect(Collectors.toSet()));
            return outcomes;
          });
    });
  }

  @Override
  public Future<Integer> withdrawSteps(WithdrawSteps command) {
    return during("withdrawSteps", () -> {
      StepChecks.check(command);
      return ready
          .reached()
          .compose(there -> divided(
              command.stepIds(),
              tables::withdraw,
              Integer::sum,
              (stepId, failure) -> Future.failedFuture(failure)));
    });
  }

  @Override
  public Future<List<String>> listMissingSteps(ListMissingSteps query) {
    return during("listMissingSteps", () -> {
      StepChecks.check(query);
      return ready.reached().compose(there -> tables.missing(query.stepIds()));
    });
  }

  @Override
  public Future<List<StepTaskState>> listStepTasks(ListStepTasks query) {
    return during("listStepTasks", () -> {
      StepChecks.check(query);
      return ready.reached().compose(there -> tables.tasks(query.stepIds()));
    });
  }

  @Override
  public Future<List<StepResultRef>> listStepResults(ListStepResults query) {
    return during("listStepResults", () -> {
      StepChecks.check(query);
      return ready.reached().compose(there -> tables.list(query));
    });
  }

  @Override
  public Future<List<ClaimedStepResult>> claimStepResults(ClaimStepResults command) {
    return during("claimStepResults", () -> {
      StepChecks.check(command);
      leases.requested(command.leaseFor());
      return ready
          .reached()
          .compose(there -> tables.claimResults(command, token(command.engineId())));
    });
  }

  @Override
  public Future<List<SettleOutcome>> settleStepResults(SettleStepResults command) {
    return during("settleStepResults", () -> {
      StepChecks.check(command);
      long now = command.now().toEpochMilli();
      return ready
          .reached()
          .compose(there -> settlements
              .submit(stamped(command.settlements(), now))
              .onFailure(some -> sender.tasks(groupsOfNext(command.settlements().stream()))))
          .map(outcomes -> {
            sender.tasks(groupsOfNext(IntStream.range(0, outcomes.size())
                .filter(each -> outcomes.get(each) == SettleOutcome.SETTLED)
                .mapToObj(command.settlements()::get)));
            return outcomes;
          });
    });
  }

  private static Set<String> groupsOfNext(Stream<SettleStepResults.Settlement> settlements) {
    return settlements
        .flatMap(each -> Stream.ofNullable(each.next()))
        .map(StepTask::group)
        .collect(Collectors.toSet());
  }

  @Override
  public Future<Void> releaseStepResults(ReleaseStepResults command) {
    return during("releaseStepResults", () -> {
      StepChecks.check(command);
      return ready.reached().compose(there -> tables.releaseResults(command));
    });
  }

  @Override
  public Future<Integer> discardStepResults(DiscardStepResults command) {
    return during("discardStepResults", () -> {
      StepChecks.check(command);
      return ready.reached().compose(there -> tables.discard(command));
    });
  }

  @Override
  public Future<List<ClaimedStepTask>> claimStepTasks(ClaimStepTasks command) {
    return during("claimStepTasks", () -> {
      StepChecks.check(command);
      leases.requested(command.leaseFor());
      return ready
          .reached()
          .compose(there -> tables.claimTasks(command, token(command.workerId())));
    });
  }

  @Override
  public Future<Set<String>> renewStepTasks(RenewStepTasks command) {
    return during("renewStepTasks", () -> {
      StepChecks.check(command);
      return ready
          .reached()
          .compose(there -> divided(
              command.claims(),
              claims -> tables.renew(new RenewStepTasks(claims, command.now())),
              SqlStepTransport::union,
              (claim, failure) -> tables.leased(claim)));
    });
  }

  private static Set<String> union(Set<String> some, Set<String> others) {
    Set<String> all = new HashSet<>(some);
    all.addAll(others);
    return all;
  }

  @Override
  public Future<List<RecordOutcome>> recordStepResults(RecordStepResults command) {
    return during("recordStepResults", () -> {
      StepChecks.check(command);
      long now = command.now().toEpochMilli();
      return ready
          .reached()
          .compose(there ->
              records.submit(stamped(command.results(), now)).onFailure(some -> sender.results()))
          .map(outcomes -> {
            if (outcomes.contains(RecordOutcome.RECORDED)) {
              sender.results();
            }
            return outcomes;
          });
    });
  }

  @Override
  public Future<Void> releaseStepTasks(ReleaseStepTasks command) {
    return during("releaseStepTasks", () -> {
      StepChecks.check(command);
      return ready
          .reached()
          .compose(there -> divided(
              command.claims(),
              tables::releaseTasks,
              Integer::sum,
              (claim, failure) -> Future.failedFuture(failure)))
          .map(released -> {
            sender.anyTasks();
            return null;
          });
    });
  }

  /**
   * What was undone because of others is done again in halves: a row that somebody keeps locked keeps none of the
   * others back, each of which is done when this fails. A row that is alone from the beginning is waited for.
   *
   * @param locked what to do about a row that stays locked
   */
  private <T, R> Future<R> divided(
      List<T> rows,
      Function<List<T>, Future<R>> send,
      BinaryOperator<R> both,
      BiFunction<T, Throwable, Future<R>> locked) {
    return divided(rows, rows.size() == 1 ? MOST_TRIES : 1, send, both, locked);
  }

  private <T, R> Future<R> divided(
      List<T> rows,
      int tries,
      Function<List<T>, Future<R>> send,
      BinaryOperator<R> both,
      BiFunction<T, Throwable, Future<R>> locked) {
    return send.apply(rows).recover(failure -> {
      if (rows.isEmpty() || !tables.failures().mayBeSentAgain(failure)) {
        return Future.failedFuture(failure);
      }
      if (tries > 1) {
        return divided(rows, tries - 1, send, both, locked);
      }
      if (rows.size() == 1) {
        return locked.apply(rows.get(0), failure);
      }
      int half = rows.size() / 2;
      Future<R> first = divided(rows.subList(0, half), 1, send, both, locked);
      Future<R> second = divided(rows.subList(half, rows.size()), 1, send, both, locked);
      return Future.join(first, second).map(done -> both.apply(first.result(), second.result()));
    });
  }

  private Future<Void> prepare(int tries) {
    return tables
        .prepare()
        .recover(failure ->
            tries > 1 && isCollision(failure) ? prepare(tries - 1) : Future.failedFuture(failure));
  }

  /** Somebody created the same at the same moment, without our lock. */
  private boolean isCollision(Throwable failure) {
    return !tables.failures().of("creating the tables", failure).isRetryable()
        || tables.failures().mayBeSentAgain(failure);
  }

  private String token(String owner) {
    return owner + "/" + ids.token();
  }

  private <T> Future<T> during(String operation, Supplier<Future<T>> call) {
    if (closed) {
      return Future.failedFuture(closed());
    }
    return AdapterCall.of(
            operation, () -> timers.within(longestCall, call.get(), TimeoutException::new))
        .recover(failure -> {
          RunlaneException ours = tables.failures().of(operation, failure);
          return Future.failedFuture(
              closed && ours.isRetryable() ? closed().causedBy(failure) : ours);
        });
  }

  private static RunlaneException closed() {
    return RunlaneException.of(ErrorCode.OPERATION_CANCELLED, "the step transport is closed");
  }

  private static int size(@Nullable StepTask task) {
    return task == null || task.input() == null ? 0 : task.input().text().length();
  }

  static <T> List<StepTables.Stamped<T>> stamped(List<T> values, long nowMillis) {
    return values.stream()
        .map(value -> new StepTables.Stamped<>(value, nowMillis))
        .toList();
  }
}
