package dev.runlane.storage.pg;

import dev.runlane.postgres.Gatherer;
import dev.runlane.postgres.HeldConnections;
import dev.runlane.postgres.Migrator;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.PgListener;
import dev.runlane.postgres.PgTuning;
import dev.runlane.postgres.SchemaName;
import dev.runlane.postgres.SqlStatements;
import dev.runlane.postgres.StatementSlots;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** What one adapter is made of and shares between its views: pool, statements, gatherers, LISTEN. */
final class PgParts {
  static final int MOST_TRIES = 20;
  private static final String MODULE = "storage-pg-reactive";

  private final Vertx vertx;
  private final PgStorageOptions options;
  private final Pool pool;
  private final PgSession session;
  private final Clock clock;
  private final Scopes scopes;
  private final QueueBindings bindings;
  private final CapacityRows capacity;
  private final StatementSlots slots;
  private final PgListener listener;
  private final PgCancellations cancellations;
  private final Gatherer<Notifications.Wakeup, Boolean> notifications;
  private final Map<Integer, ScopeStatements> statements = new ConcurrentHashMap<>();
  private final Map<Integer, Writes> gathered = new ConcurrentHashMap<>();

  private PgParts(Vertx vertx, PgStorageOptions options, Context context) {
    this.vertx = vertx;
    this.options = options;
    this.clock = Clock.system();
    this.pool = PgBuilder.pool()
        .with(options.getPoolOptions())
        .connectingTo(PgTuning.tuned(
            options.getConnectOptions(), options.getLockTimeout(), options.getStatementTimeout()))
        .using(vertx)
        .build();
    SqlStatements loaded = SqlStatements.load(
        PgParts.class,
        new SchemaName(options.getSchema()),
        "sql/appends.sql",
        "sql/claims.sql",
        "sql/reads.sql",
        "sql/outbox.sql",
        "sql/steps.sql",
        "sql/schedules.sql",
        "sql/notify.sql");
    this.session = new PgSession(pool, loaded, new Ids(clock, Randomness.system()));
    this.scopes = new Scopes(session);
    this.bindings = new QueueBindings(session, clock);
    this.capacity = new CapacityRows(session);
    this.slots = new StatementSlots(context, options.getStatementSlots());
    this.listener = new PgListener(vertx, options.getConnectOptions());
    this.cancellations = new PgCancellations(session, listener, options.getSchema());
    this.notifications = new Gatherer<>(
        vertx,
        slots,
        "publishWakeups",
        new Notifications(session),
        options.getBatchSize(),
        options.getMaxPending());
  }

  static PgParts create(Vertx vertx, PgStorageOptions options) {
    return new PgParts(vertx, options, vertx.getOrCreateContext());
  }

  PgSession session() {
    return session;
  }

  Scopes scopes() {
    return scopes;
  }

  QueueBindings bindings() {
    return bindings;
  }

  Gatherer<Notifications.Wakeup, Boolean> notifications() {
    return notifications;
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
        ? statements.computeIfAbsent(
            scope.env(), env -> ScopeStatements.of(session, scope, bindings, capacity, clock))
        : ScopeStatements.of(on, scope, bindings, capacity, clock);
  }

  /** The gathered writes of an environment. */
  Writes gathered(PgSession.Scope scope) {
    return gathered.computeIfAbsent(
        scope.env(), env -> new GatheredWrites(vertx, slots, options, statements(session, scope)));
  }

  <T> Future<T> transaction(Function<SqlConnection, Future<T>> work) {
    return HeldConnections.transaction(pool, work).recover(PgFailures.during("a transaction"));
  }

  Future<Void> start() {
    Future<Void> migrated = options.isMigrate()
        ? new Migrator(
                MODULE,
                PgParts.class,
                new SchemaName(options.getSchema()),
                List.of(
                    "migrations/V001__runs.sql",
                    "migrations/V002__awaiting.sql",
                    "migrations/V003__pending_steps.sql"))
            .migrate(vertx, options.getConnectOptions())
        : Future.succeededFuture();
    return migrated.recover(PgFailures.during("starting the storage"));
  }

  /** The clock of Postgres. */
  Future<Instant> now() {
    return session
        .execute(session.statements().get("now"), Tuple.tuple())
        .map(rows -> rows.iterator().next().getOffsetDateTime(0).toInstant())
        .recover(PgFailures.during("clock.now"));
  }

  Future<Void> close() {
    return Future.join(listener.close(), pool.close()).mapEmpty();
  }
}
