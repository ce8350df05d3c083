package dev.runlane.connector.store.pg;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.connector.store.ConnectorStore;
import dev.runlane.connector.store.grant.Grants;
import dev.runlane.connector.store.history.RunHistory;
import dev.runlane.connector.store.manifest.ActiveManifests;
import dev.runlane.connector.store.record.ConnectorStates;
import dev.runlane.connector.store.record.RecordReads;
import dev.runlane.connector.store.record.RecordSink;
import dev.runlane.connector.store.run.ActiveRuns;
import dev.runlane.connector.store.run.BeginOutcome;
import dev.runlane.connector.store.run.BeginRun;
import dev.runlane.connector.store.run.RunEnds;
import dev.runlane.connector.store.schedule.Schedules;
import dev.runlane.connector.store.timeline.RunTimeline;
import dev.runlane.postgres.ConnectionBounds;
import dev.runlane.postgres.HeldConnections;
import dev.runlane.postgres.LeaseBound;
import dev.runlane.postgres.PgConnections;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.PgTuning;
import dev.runlane.postgres.schema.Migrator;
import dev.runlane.postgres.statement.BoundStatements;
import dev.runlane.postgres.statement.ResourceCache;
import dev.runlane.postgres.statement.SchemaName;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Connector runs in Postgres. Any number of processes share the tables; which of them has a run, a claim or the end
 * of a run is decided there. Safe for use by any thread.
 */
public final class PgConnectorStore implements ConnectorStore {
  private static final String MODULE = "connector-runtime";
  private static final List<String> MIGRATIONS = List.of(
      "migrations/V001__connectors.sql",
      "migrations/V002__active_manifests.sql",
      "migrations/V003__told_notices.sql",
      "migrations/V004__grants_of_a_connection.sql");
  private static final ResourceCache<SchemaName, BoundStatements> STATEMENTS =
      new ResourceCache<>(PgStatements::bind);
  private static final ResourceCache<SchemaName, Migrator> MIGRATORS = new ResourceCache<>(schema ->
      new Migrator(MODULE, PgConnectorStore.class::getResourceAsStream, schema, MIGRATIONS));

  private final Vertx vertx;
  private final PgConnectorStoreOptions options;
  private final LeaseBound claims;
  private final PgRecordSink sink;
  private final PgTimeline timeline;
  private final PgActiveRuns activeRuns;
  private final PgRunEnds runEnds;
  private final PgHistory history;
  private final PgGrants grants;
  private final PgStates states;
  private final PgManifests manifests;
  private final PgSchedules schedules;
  private volatile @Nullable Future<PgCalls.Opened> opened;
  private volatile boolean closed;

  private PgConnectorStore(Vertx vertx, PgConnectorStoreOptions options) {
    this.vertx = vertx;
    this.options = new PgConnectorStoreOptions(options);
    this.claims = new LeaseBound(Timers.of(vertx));
    PgCalls calls = new PgCalls(Timers.of(vertx), this::opened);
    this.sink = new PgRecordSink(calls);
    this.timeline = new PgTimeline(calls);
    this.activeRuns = new PgActiveRuns(calls);
    this.runEnds = new PgRunEnds(calls);
    this.history = new PgHistory(calls);
    this.grants = new PgGrants(calls);
    this.states = new PgStates(calls);
    this.manifests = new PgManifests(calls);
    this.schedules = new PgSchedules(calls, claims);
  }

  /** What brings a schema forward, for tools that do so apart from any process. Throws {@code ConfigurationInvalid}. */
  @SuppressWarnings("exports") // for the project's own tools
  public static Migrator migrator(String schema) {
    return MIGRATORS.get(new SchemaName(schema));
  }

  /** A store that {@link #connect()} opens. */
  public static PgConnectorStore create(Vertx vertx, PgConnectorStoreOptions options) {
    return new PgConnectorStore(vertx, options);
  }

  /**
   * Brings the schema forward and opens the pool; several processes may do so at once, and a store that is open
   * stays as it is. Fails with {@link ErrorCode#STORAGE_UNAVAILABLE} when Postgres cannot be reached and with {@link
   * ErrorCode#CONFIGURATION_INVALID} when an applied migration has another text.
   */
  public Future<Void> connect() {
    return AdapterCall.of("connect", () -> {
      synchronized (this) { // any thread may connect, and only one pool may come of it
        Future<PgCalls.Opened> opening = opened;
        if (opening == null || opening.failed()) {
          opening = open();
          opened = opening;
          closed = false;
        }
        return opening.mapEmpty();
      }
    });
  }

  /**
   * Closes the pool once what is under way has ended, or the close timeout is over. After it calls fail with {@link
   * ErrorCode#OPERATION_CANCELLED}, until the store is opened again. Closing twice is harmless.
   */
  public Future<Void> close() {
    Future<PgCalls.Opened> closing;
    synchronized (this) {
      closing = opened;
      opened = null;
      closed = true;
    }
    return closing == null
        ? Future.succeededFuture()
        : closing.transform(
            (open, failure) -> failure == null ? open.pool().close() : Future.succeededFuture());
  }

  private Future<PgCalls.Opened> opened() {
    Future<PgCalls.Opened> open = opened;
    if (open != null) {
      return open;
    }
    return Future.failedFuture(
        closed
            ? RunlaneException.of(ErrorCode.OPERATION_CANCELLED, "the connector store is closed")
            : RunlaneException.unavailable(
                ErrorCode.STORAGE_UNAVAILABLE, null, "the connector store is not connected"));
  }

  private Future<PgCalls.Opened> open() {
    SchemaName schema = new SchemaName(options.getSchema());
    Migrator migrator = migrator(options.getSchema());
    Future<Void> current = options.isAutoMigrate()
        ? migrator.migrate(vertx, options.getConnectOptions())
        : migrator.verify(vertx, options.getConnectOptions());
    return current
        .compose(ready -> connected(STATEMENTS.get(schema)))
        .recover(PgFailures.during("connecting the connector store"));
  }

  private Future<PgCalls.Opened> connected(BoundStatements statements) {
    EnvironmentNumber environment = new EnvironmentNumber(options.getEnvironment(), statements);
    Pool pool = PgConnections.pool(
        vertx,
        tuned(options),
        options.getPoolOptions(),
        ConnectionBounds.of(options.getStatementDeadline(), options.getCloseTimeout())
            .underLease(claims, PgStatements.ofClaims(statements)),
        environment::forget);
    PgCalls.Opened open = new PgCalls.Opened(pool, statements, environment);
    return HeldConnections.use(pool, open::on).map(open).recover(failure -> pool.close()
        .transform((closed, second) -> Future.failedFuture(failure)));
  }

  /**
   * Where an index has the order that is asked for, it is walked and not sorted after: it is by their order that
   * statements find rows by the index that is meant, and by no other that begins with the same columns.
   */
  static PgConnectOptions tuned(PgConnectorStoreOptions options) {
    PgConnectOptions tuned = PgTuning.tuned(
        options.getConnectOptions(), options.getLockTimeout(), options.getStatementTimeout());
    tuned.addProperty("enable_bitmapscan", "off");
    tuned.addProperty("enable_sort", "off");
    return tuned;
  }

  /**
   * {@link ActiveRuns#begin Begins} a run together with what {@code also} does: both, or neither. It is called on
   * the connection of the transaction, once for each try, and not where the connection has an active run.
   */
  public Future<BeginOutcome> beginWith(
      BeginRun command, Function<SqlConnection, Future<Void>> also) {
    return activeRuns.beginWith(command, also);
  }

  @Override
  public RecordSink sink() {
    return sink;
  }

  /** The records that the sink keeps. */
  public RecordReads records() {
    return sink;
  }

  @Override
  public RunTimeline timeline() {
    return timeline;
  }

  @Override
  public ActiveRuns activeRuns() {
    return activeRuns;
  }

  @Override
  public RunEnds runEnds() {
    return runEnds;
  }

  @Override
  public RunHistory history() {
    return history;
  }

  @Override
  public Grants grants() {
    return grants;
  }

  @Override
  public ConnectorStates states() {
    return states;
  }

  @Override
  public ActiveManifests manifests() {
    return manifests;
  }

  /** The schedules. */
  public Schedules schedules() {
    return schedules;
  }
}
