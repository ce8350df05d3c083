package dev.runlane.storage.pg;

import dev.runlane.postgres.BatchLimits;
import dev.runlane.postgres.CommandBatcher;
import dev.runlane.postgres.ConnectionBounds;
import dev.runlane.postgres.ContentionRetry;
import dev.runlane.postgres.HeldConnections;
import dev.runlane.postgres.LeaseBound;
import dev.runlane.postgres.PgConnections;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.PgListener;
import dev.runlane.postgres.PgTuning;
import dev.runlane.postgres.StatementSlots;
import dev.runlane.postgres.schema.Migrator;
import dev.runlane.postgres.statement.BoundStatements;
import dev.runlane.postgres.statement.Placeholders;
import dev.runlane.postgres.statement.ResourceCache;
import dev.runlane.postgres.statement.SchemaName;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.postgres.statement.SqlStatements;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Lease;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.StatementObserver;
import dev.runlane.storage.pg.notify.CreationWakeups;
import dev.runlane.storage.pg.notify.Notifications;
import dev.runlane.storage.pg.notify.PgCancellations;
import dev.runlane.storage.pg.read.Occurrences;
import dev.runlane.storage.pg.read.PendingSteps;
import dev.runlane.storage.pg.read.Pruning;
import dev.runlane.storage.pg.read.Reads;
import dev.runlane.storage.pg.read.Scans;
import dev.runlane.storage.pg.row.Lists;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.storage.pg.row.QueueBindings;
import dev.runlane.storage.pg.row.ServerStatements;
import dev.runlane.storage.pg.write.Acquisitions;
import dev.runlane.storage.pg.write.Appends;
import dev.runlane.storage.pg.write.BatchedWrites;
import dev.runlane.storage.pg.write.CapacityRows;
import dev.runlane.storage.pg.write.Claims;
import dev.runlane.storage.pg.write.Creations;
import dev.runlane.storage.pg.write.Outbox;
import dev.runlane.storage.pg.write.Reservations;
import dev.runlane.storage.pg.write.ScopeStatements;
import dev.runlane.storage.pg.write.WakingWrites;
import dev.runlane.storage.pg.write.Writes;
import dev.runlane.storage.step.PendingStep;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What one adapter is made of and shares between its views: pool, statements, gatherers, LISTEN. */
final class PgParts {
  private static final String MODULE = "storage-pg-reactive";
  private static final List<String> MIGRATIONS = List.of(
      "migrations/V001__runs.sql",
      "migrations/V002__awaiting.sql",
      "migrations/V003__pending_steps.sql",
      "migrations/V004__schedules_and_processes.sql",
      "migrations/V005__due_by_task.sql",
      "migrations/V006__pruned_occurrences.sql",
      "migrations/V007__operator.sql",
      "migrations/V008__log_lines.sql",
      "migrations/V009__resumed_queues.sql",
      "migrations/V010__throughput.sql",
      "migrations/V011__paused_schedules.sql",
      "migrations/V012__run_tags.sql",
      "migrations/V013__webhooks.sql",
      "migrations/V014__failed_messages.sql",
      "migrations/V015__idle_partitions.sql",
      "migrations/V016__trigger.sql",
      "migrations/V017__alerts.sql",
      "migrations/V018__known_tasks.sql",
      "migrations/V019__clock_offsets.sql",
      "migrations/V020__step_depths.sql",
      "migrations/V021__partition_lags.sql",
      "migrations/V022__superseded_indexes.sql",
      "migrations/V023__throughput_folds.sql",
      "migrations/V024__ends_of_reused_ids.sql",
      "migrations/V025__trigger_functions.sql",
      "migrations/V026__trigger_rules.sql",
      "migrations/V027__literals_of_trigger.sql",
      "migrations/V028__watch_ends_rights.sql",
      "migrations/V029__steps_of_an_ended_run.sql",
      "migrations/V030__steps_by_their_keys.sql");

  /** The newest migration that this release knows. */
  static final int SCHEMA_VERSION = MIGRATIONS.size();

  private static final SqlStatement<@Nullable Void> NOW = SqlStatement.plain("now");

  /**
   * Statements that begin, renew and end leases, that find what is due, that claims wait for, or that are sent through
   * the slots of those.
   */
  private static final List<SqlStatement<?>> UNDER_LEASE = Stream.of(
          Creations.STATEMENTS,
          Appends.STATEMENTS,
          Acquisitions.STATEMENTS,
          Claims.STATEMENTS,
          Scans.STATEMENTS,
          CapacityRows.STATEMENTS,
          Reservations.STATEMENTS,
          QueueBindings.STATEMENTS,
          LateIndexes.STATEMENTS,
          Outbox.STATEMENTS,
          PgSteps.STATEMENTS,
          PendingSteps.STATEMENTS,
          Notifications.STATEMENTS,
          PgOperatorStore.BEFORE_CLAIMS,
          PgCancellations.STATEMENTS)
      .<SqlStatement<?>>flatMap(List::stream)
      .toList();

  private static final List<SqlStatement<?>> OTHERS = Stream.of(
          List.of(NOW),
          Scopes.STATEMENTS,
          Reads.STATEMENTS,
          Lists.STATEMENTS,
          Occurrences.STATEMENTS,
          PgSchedules.STATEMENTS,
          Pruning.STATEMENTS,
          PgQueueLimits.STATEMENTS,
          PgOperatorStore.STATEMENTS,
          ScheduleDesk.STATEMENTS,
          WebhookDesk.STATEMENTS,
          DocumentDesk.STATEMENTS,
          TaskDesk.STATEMENTS,
          StepDesk.STATEMENTS,
          AlertDesk.STATEMENTS)
      .<SqlStatement<?>>flatMap(List::stream)
      .toList();

  /** Those that are sent for each run and change rows by many keys, each with its form for servers before 17. */
  private static final Map<SqlStatement<?>, SqlStatement<?>> BEFORE_17 = Stream.of(
          Appends.STATEMENTS,
          Claims.STATEMENTS,
          Outbox.STATEMENTS,
          PgSteps.STATEMENTS,
          Pruning.STATEMENTS)
      .<SqlStatement<?>>flatMap(List::stream)
      .collect(Collectors.toUnmodifiableMap(each -> each, ServerStatements::before17));

  private static final ResourceCache<SchemaName, BoundStatements> STATEMENTS =
      new ResourceCache<>(PgParts::bound);
  private static final ResourceCache<SchemaName, Migrator> MIGRATORS = new ResourceCache<>(
      schema -> new Migrator(MODULE, PgParts.class::getResourceAsStream, schema, MIGRATIONS));

  private final Vertx vertx;
  private final PgStorageOptions options;
  private final LeaseBound leases;
  private final Pool pool;
  private final ServerStatements statements;
  private final PgSession session;
  private final ContentionRetry contended;
  private final Clock clock;
  private final Scopes scopes;
  private final QueueBindings bindings;
  private final CapacityRows capacity;
  private final StatementSlots slots;
  private final PgListener listener;
  private final PgCancellations cancellations;
  private final CommandBatcher<Notifications.Wakeup, Boolean> notifications;
  private final CreationWakeups creationWakeups;
  private final LateIndexes indexes;
  private final LateIndexLoop indexLoop;
  private final Context context;
  private volatile boolean closed;
  private final Map<PgSession.Scope, ScopeStatements> scopeStatements = new ConcurrentHashMap<>();
  private final Map<PgSession.Scope, BatchedWrites> gathered = new ConcurrentHashMap<>();
  private final Map<PgSession.Scope, Writes> waking = new ConcurrentHashMap<>();
  private final Map<PgSession.Scope, CommandBatcher<String, Optional<PendingStep>>> pendingSteps =
      new ConcurrentHashMap<>();

  private PgParts(
      Vertx vertx, PgStorageOptions options, Context context, StatementObserver observer) {
    this.vertx = vertx;
    this.options = options;
    this.clock = Clock.system();
    this.contended = new ContentionRetry(Timers.of(vertx), PgParts::mayBeTriedAgain);
    this.leases = new LeaseBound(Timers.of(vertx));
    this.statements = statements(options.getSchema());
    this.pool = PgConnections.pool(
        vertx,
        PgTuning.tuned(
            options.getConnectOptions(), options.getLockTimeout(), options.getStatementTimeout()),
        options.getPoolOptions(),
        ConnectionBounds.of(options.getStatementDeadline(), options.getCloseTimeout())
            .underLease(leases, UNDER_LEASE.stream().flatMap(statements::texts).toList()),
        this::forget,
        this::check);
    this.session = new PgSession(pool, statements, new Ids(clock, Randomness.system()));
    this.scopes = new Scopes(session, options.getStatementDeadline());
    this.bindings = new QueueBindings(session, clock, contended, Timers.of(vertx));
    this.capacity = new CapacityRows(session, System::nanoTime);
    this.context = context;
    this.slots = new StatementSlots(context, options.getStatementSlots(), observer);
    this.listener = new PgListener(vertx, options.getListenOptions());
    this.cancellations = new PgCancellations(session, listener, options.getSchema(), context);
    this.notifications =
        new CommandBatcher<>(vertx, slots, "publishWakeups", new Notifications(session), bounds());
    this.creationWakeups =
        new CreationWakeups(session, context, Timers.of(vertx), options.getSchema());
    this.indexes = new LateIndexes(statements, options.getSchema());
    this.indexLoop = new LateIndexLoop(
        vertx, Timers.of(vertx), indexes, options.getSchema(), options.getListenOptions());
  }

  /** All statements, in a schema. */
  static ServerStatements statements(String schema) {
    return new ServerStatements(STATEMENTS.get(new SchemaName(schema)), BEFORE_17);
  }

  private static BoundStatements bound(SchemaName schema) {
    return SqlStatements.load(
            PgParts.class::getResourceAsStream,
            schema,
            "sql/keys.sql",
            "sql/appends.sql",
            "sql/claims.sql",
            "sql/outbox.sql",
            "sql/steps.sql",
            "sql/notify.sql",
            "sql/reads.sql",
            "sql/schedules.sql",
            "sql/processes.sql",
            "sql/operator.sql",
            "sql/webhooks.sql",
            "sql/alerts.sql",
            "sql/tasks.sql")
        .bind(
            Placeholders.NUMBERED,
            Stream.of(UNDER_LEASE, OTHERS, BEFORE_17.values())
                .<SqlStatement<?>>flatMap(Collection::stream)
                .toList());
  }

  static PgParts create(Vertx vertx, PgStorageOptions options, StatementObserver observer) {
    return new PgParts(vertx, options, StatementSlots.contextOf(vertx), observer);
  }

  PgSession session() {
    return session;
  }

  QueueBindings bindings() {
    return bindings;
  }

  CommandBatcher<Notifications.Wakeup, Boolean> notifications() {
    return notifications;
  }

  Timers timers() {
    return Timers.of(vertx);
  }

  PgListener listener() {
    return listener;
  }

  String schema() {
    return options.getSchema();
  }

  PgCancellations cancellations() {
    return cancellations;
  }

  /** The statements of an environment on {@code on}; those on the pool are made once. */
  @SuppressWarnings("ReferenceEquality") // the very session of the pool, not one like it
  ScopeStatements statements(PgSession on, PgSession.Scope scope) {
    return on == session
        ? scopeStatements.computeIfAbsent(
            scope, made -> ScopeStatements.of(session, made, bindings, capacity, clock))
        : ScopeStatements.of(on, scope, bindings, capacity, clock);
  }

  /** The gathered writes of an environment. */
  BatchedWrites gathered(PgSession.Scope scope) {
    return gathered.computeIfAbsent(
        scope, made -> new BatchedWrites(vertx, slots, bounds(), statements(session, made)));
  }

  /** The same, with creations that wake for themselves. */
  Writes waking(PgSession.Scope scope) {
    return waking.computeIfAbsent(
        scope,
        made ->
            new WakingWrites(gathered(made), statements(session, made), creationWakeups::created));
  }

  /** Looks for single pending steps of an environment, gathered. */
  CommandBatcher<String, Optional<PendingStep>> pendingSteps(PgSession.Scope scope) {
    return pendingSteps.computeIfAbsent(
        scope,
        made -> new CommandBatcher<>(
            vertx, slots, "listPendingSteps", new PendingSteps(session, made), bounds()));
  }

  /** Wakeups of runs that were created in {@link #waking}. */
  CreationWakeups creationWakeups() {
    return creationWakeups;
  }

  /** What bounds one kind of gathered command. */
  BatchLimits bounds() {
    return new BatchLimits(
        options.getBatchSize(),
        options.getMaxPending(),
        options.getMaxPendingBytes(),
        () -> leases.atMost(options.getStatementDeadline()));
  }

  /** Does the work in an environment; after closing it fails as closed. */
  <T> Future<T> in(Environment environment, Function<PgSession.Scope, Future<T>> work) {
    return closed
        ? Future.failedFuture(closed())
        : scopes.of(environment).compose(work).recover(failure -> {
          RunlaneException ours = PgFailures.of("", failure);
          if (ours.code()
              == ErrorCode.INTERNAL_ERROR) { // such as a table that is not there any more
            forget();
          }
          boolean byClosing = closed && ours.isRetryable();
          return Future.failedFuture(byClosing ? closed().causedBy(failure) : failure);
        });
  }

  /** The same on a connection of the caller's. */
  <T> Future<T> on(
      SqlConnection callers, Environment environment, Function<PgSession.Scope, Future<T>> work) {
    return in(environment, scope -> scopes.on(callers, scope).compose(work));
  }

  /**
   * Forgets what the database is known to hold: it may have been restored, or promoted without the last commits. All of
   * it is found or made again by whoever needs it.
   */
  void forget() {
    scopes.forget();
    bindings.forget();
    capacity.forget();
  }

  /** Whether a connection that was made leads to a database that takes what waits for it as it is meant. */
  private Future<Void> check(SqlConnection made) {
    statements.connected(made);
    return scopes.check(made);
  }

  /** A statement of its own in an environment, sent again as by {@link #statement}. */
  <T> Future<T> alone(Environment environment, Function<PgSession.Scope, Future<T>> statement) {
    return in(environment, scope -> statement(() -> statement.apply(scope)));
  }

  /** A statement that is its own transaction, sent again where others keep it from its rows or its tables. */
  <T> Future<T> statement(Supplier<Future<T>> statement) {
    return contended.run(statement);
  }

  /** Whether others were in the way of it; the failure may be the driver's, or have our form already. */
  static boolean mayBeTriedAgain(Throwable failure) {
    return PgFailures.mayBeSentAgain(failure)
        || (failure.getCause() != null && PgFailures.mayBeSentAgain(failure.getCause()));
  }

  private static RunlaneException closed() {
    return RunlaneException.of(ErrorCode.OPERATION_CANCELLED, "the storage is closed");
  }

  /** Remembers how long a lease lasts that was asked for at {@code now}. */
  void leaseRequested(Instant now, @Nullable Lease lease) {
    if (lease != null) {
      leases.requested(Duration.between(now, lease.expiresAt()));
    }
  }

  /** How long a call in a caller's transaction may take. */
  Duration statementDeadline() {
    return options.getStatementDeadline();
  }

  <T> Future<T> transaction(Function<SqlConnection, Future<T>> work) {
    return HeldConnections.transaction(pool, work).recover(PgFailures.during("a transaction"));
  }

  /** What brings a schema forward. */
  static Migrator migrator(String schema) {
    return MIGRATORS.get(new SchemaName(schema));
  }

  static Future<UnsettledIndexes> unsettledIndexes(
      Vertx vertx, PgConnectOptions connect, String schema) {
    return new LateIndexes(statements(schema), schema)
        .unsettled(vertx, connect)
        .recover(PgFailures.during("looking at indexes"));
  }

  static Future<UnsettledIndexes> settleIndexes(
      Vertx vertx, PgConnectOptions connect, String schema) {
    if (connect.getUseLayer7Proxy()) {
      return Future.failedFuture(RunlaneException.configurationInvalid(
          "indexes of schema %s cannot be made through a pooler: give an address that leads past it",
          schema));
    }
    return new LateIndexes(statements(schema), schema)
        .settle(vertx, connect)
        .recover(PgFailures.during("making indexes"));
  }

  Future<Void> start() {
    if (closed) {
      return Future.failedFuture(closed());
    }
    Future<Void> current = options.isMigrate()
        ? migrator(options.getSchema()).migrate(vertx, options.getConnectOptions())
        : verify();
    return current
        .compose(ready -> options.isMigrate() ? beginIndexes() : Future.succeededFuture())
        .recover(PgFailures.during("starting the storage"));
  }

  /** Looks whether the schema is as this release needs it, on a connection of its own. */
  Future<Void> verify() {
    return migrator(options.getSchema()).verify(vertx, options.getConnectOptions());
  }

  String schemaName() {
    return options.getSchema();
  }

  /** The clock of Postgres. */
  Future<Instant> now() {
    return session
        .statements()
        .get(NOW)
        .execute(session.client())
        .map(rows -> rows.iterator().next().getOffsetDateTime(0).toInstant())
        .recover(PgFailures.during("clock.now"));
  }

  private Future<Void> beginIndexes() {
    return indexes.unsettled(session).map(left -> {
      context.runOnContext(turn -> indexLoop.begin(left)); // not to end with the caller's verticle
      return null;
    });
  }

  Future<Void> close() {
    closed = true;
    indexLoop.close();
    slots.close();
    creationWakeups.close();
    return Future.join(listener.close(), pool.close()).mapEmpty();
  }
}
