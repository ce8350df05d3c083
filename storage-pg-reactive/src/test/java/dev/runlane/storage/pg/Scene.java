package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.conformance.kit.Outcomes.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.runlane.conformance.given.TestRun;
import dev.runlane.conformance.given.TestRuns;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.EventHeader;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import dev.runlane.testinfra.process.Poll;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Adapters on one fresh schema, connections beside them, and the usual commands; audited at the end. */
public final class Scene implements AutoCloseable {
  public static final Environment ENVIRONMENT = new Environment("conformance");
  public static final Instant NOON = Instant.parse("2026-03-04T12:00:00Z");
  static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  static final String TASK = "orders.charge";
  static final QueuePolicy DEFAULT_QUEUE = QueuePolicy.unbounded("default");

  private final Vertx vertx = Vertx.vertx();
  private final PgStorageOptions options;
  private final List<PgStorageAdapter> adapters = new ArrayList<>();
  private final List<PgConnection> connections = new ArrayList<>();
  private @Nullable PgConnection observer;
  private @Nullable PgConnection changing;
  private @Nullable Boolean countsAtOnce;
  private int counted;

  private Scene(PgStorageOptions options) {
    this.options = options;
  }

  /** A schema of its own in the database of the suites, reached by sessions that others have left. */
  static Scene open() {
    return new Scene(
        PgStorageFixture.newSchema().setConnectOptions(PgStorageFixture.reusedOptions()));
  }

  /** The same by the server's own address: for what is about connections, or counts what they have read. */
  static Scene direct() {
    return new Scene(PgStorageFixture.newSchema());
  }

  static Scene on(PgStorageOptions options) {
    return new Scene(options);
  }

  Vertx vertx() {
    return vertx;
  }

  PgStorageOptions options() {
    return new PgStorageOptions(options);
  }

  String schema() {
    return options.getSchema();
  }

  /** One more process, as far as storage can tell. */
  PgStorageAdapter start() {
    return start(options);
  }

  PgStorageAdapter start(PgStorageOptions given) {
    PgStorageAdapter adapter = PgStorageAdapter.create(vertx, given);
    adapters.add(adapter);
    inTheEnd(adapter::start);
    return adapter;
  }

  /** The same, where {@link #ENVIRONMENT} has the number 1, as in the rows that a test writes itself. */
  PgStorageAdapter startAsFirst(PgStorageOptions given) {
    PgStorageAdapter adapter = start(given);
    change(
        "INSERT INTO {schema}.environments (env, environment_key) OVERRIDING SYSTEM VALUE VALUES (1, '"
            + ENVIRONMENT.environmentKey() + "')");
    return adapter;
  }

  PgConnection connect() {
    PgConnection connection = done(PgConnection.connect(vertx, options.getConnectOptions()));
    connections.add(connection);
    return connection;
  }

  /** A connection on which a transaction has begun, with these settings in force. */
  PgConnection begin(String... settings) {
    PgConnection connection = connect();
    for (String setting : settings) {
      execute(connection, "SET " + setting);
    }
    execute(connection, "BEGIN");
    return connection;
  }

  static void execute(PgConnection connection, String sql) {
    done(connection.query(sql).execute());
  }

  /** The number that a query answers, in this scene's schema where it says {@code {schema}}. */
  long number(String query) {
    PgConnection connection = done(PgConnection.connect(vertx, options.getConnectOptions()));
    return done(number(connection, query).eventually(connection::close));
  }

  private Future<Long> number(PgConnection connection, String query) {
    return connection
        .query(query.replace("{schema}", schema()))
        .execute()
        .map(rows -> rows.iterator().next().getLong(0));
  }

  /** What the server's statistics say, by one connection for all such questions, which reads nothing else. */
  private long statistic(String query) {
    if (observer == null) {
      observer = connect();
    }
    return done(number(observer, query));
  }

  /**
   * What the first attempt gives that succeeds: a busy machine may miss a short deadline, and storage is unavailable.
   */
  static <T> T inTheEnd(Supplier<Future<T>> attempt) {
    AtomicReference<Future<T>> last = new AtomicReference<>();
    assertThat(Poll.until(PATIENCE, () -> {
          last.set(attempt.get());
          return done(last.get()
              .transform((result, failure) -> Future.succeededFuture(
                  !(failure instanceof RunlaneException ours) || !ours.isRetryable())));
        }))
        .as("an attempt succeeded")
        .isTrue();
    return done(last.get());
  }

  /** Stores a run, each time an attempt fails another one, whose names begin so. */
  static RunRecord storeInTheEnd(
      String name, Function<String, TestRun> run, StorageAdapter storage) {
    AtomicInteger attempts = new AtomicInteger();
    return inTheEnd(() -> run.apply(name + "_" + attempts.incrementAndGet()).storeIn(storage));
  }

  /** Looks again and again, for a minute at most. */
  static void until(BooleanSupplier reached) {
    assertThat(Poll.until(PATIENCE, reached)).as("it came to that").isTrue();
  }

  /** Changes rows beside the storage; what that reads is counted before it is over. See {@link #countReadsAtOnce}. */
  void change(String sql) {
    if (changing == null) {
      changing = connect();
    }
    String counting = countsAtOnce() ? "SELECT pg_stat_force_next_flush(); " : "";
    execute(changing, counting + sql.replace("{schema}", schema()));
  }

  long rows(String table) {
    return number("SELECT count(*) FROM {schema}." + table);
  }

  /**
   * What all statements so far have read, rows of tables and entries of indexes. Postgres counts at the end
   * of a transaction, of this one at once: see {@link #countReadsAtOnce}.
   */
  long rowsRead(StorageAdapter storage) {
    store(TestRuns.queued("run_counted_" + counted++).at(NOON.plusSeconds(9)), storage);
    return statistic("""
        SELECT (SELECT coalesce(sum(seq_tup_read), 0) FROM pg_stat_user_tables
            WHERE schemaname = '{schema}')
          + (SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes
            WHERE schemaname = '{schema}')
        """);
  }

  /** Pages of a table and its indexes that all statements so far looked at, for entries that were skipped too. */
  long pagesRead(StorageAdapter storage, String table) {
    store(TestRuns.queued("run_counted_" + counted++).at(NOON.plusSeconds(9)), storage);
    return statistic("SELECT heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read"
        + " FROM pg_statio_user_tables WHERE schemaname = '{schema}' AND relname = '" + table
        + "'");
  }

  /** Otherwise a plan may be made anew in between, by statistics of the moment. */
  void keepAutovacuumAway() {
    execute(connect(), """
        DO $$ DECLARE each text; BEGIN
          FOR each IN SELECT tablename FROM pg_tables WHERE schemaname = '{schema}' LOOP
            EXECUTE format('ALTER TABLE {schema}.%I SET (autovacuum_enabled = false)', each);
          END LOOP;
        END $$""".replace("{schema}", schema()));
  }

  /**
   * Otherwise a connection tells what it has read once a second; and nothing is read but by the test. Leaves the test
   * out before PostgreSQL 15.
   */
  void countReadsAtOnce() {
    assumeThat(countsAtOnce())
        .as("a server that can be told to count at once, as from PostgreSQL 15 on")
        .isTrue();
    execute(connect(), """
        CREATE FUNCTION {s}.count_at_once() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM pg_stat_force_next_flush();
          RETURN NULL;
        END $$;
        CREATE TRIGGER count_at_once AFTER INSERT ON {s}.run_events
          FOR EACH STATEMENT EXECUTE FUNCTION {s}.count_at_once()
        """.replace("{s}", schema()));
    keepAutovacuumAway();
  }

  private boolean countsAtOnce() {
    if (countsAtOnce == null) {
      countsAtOnce =
          number("SELECT count(*) FROM pg_proc WHERE proname = 'pg_stat_force_next_flush'") > 0;
    }
    return countsAtOnce;
  }

  /** One command of each kind; the claim is of runs of {@code task}. */
  static List<Future<?>> everyKindOfCommand(StorageAdapter storage, RunRecord run, String task) {
    return List.of(
        TestRuns.queued("run_new").storeIn(storage),
        TestRuns.queued("run_keyed").singletonKey("s").storeIn(storage),
        claimLease(storage, run, DEFAULT_QUEUE),
        storage.getRun(new GetRun(ENVIRONMENT, run.id())),
        storage.listRuns(
            new ListRuns(ENVIRONMENT, RunFilter.ALL, RunSort.NEWEST_FIRST, null, null)),
        storage
            .batch()
            .orElseThrow()
            .claimRuns(new ClaimRuns(
                ENVIRONMENT,
                List.of(DEFAULT_QUEUE),
                List.of(task),
                "worker_1",
                "tok",
                MINUTE,
                NOON,
                10)));
  }

  RunRecord store(TestRun run, StorageAdapter storage) {
    return done(run.storeIn(storage));
  }

  static Optional<RunRecord> find(StorageAdapter storage, String runId) {
    return done(storage.getRun(new GetRun(ENVIRONMENT, runId)));
  }

  static ClaimedRuns claim(
      PgStorageAdapter storage, List<QueuePolicy> queues, String token, int limit) {
    return claimAt(storage, queues, token, NOON, limit);
  }

  static ClaimedRuns claimAt(
      PgStorageAdapter storage, List<QueuePolicy> queues, String token, Instant now, int limit) {
    return done(claiming(storage, queues, token, now, limit));
  }

  static Future<ClaimedRuns> claiming(
      PgStorageAdapter storage, List<QueuePolicy> queues, String token, Instant now, int limit) {
    return storage
        .batch()
        .orElseThrow()
        .claimRuns(new ClaimRuns(
            ENVIRONMENT, queues, List.of(TASK), "worker_1", token, MINUTE, now, limit));
  }

  static ClaimedRuns claimNamed(PgStorageAdapter storage, List<String> runIds, String token) {
    return done(storage
        .batch()
        .orElseThrow()
        .claimRuns(new ClaimRuns(
            ENVIRONMENT,
            List.of(DEFAULT_QUEUE),
            List.of(TASK),
            "worker_1",
            token,
            MINUTE,
            NOON,
            runIds.size(),
            runIds)));
  }

  static Future<Optional<AppendedRun>> claimLease(
      StorageAdapter storage, RunRecord run, QueuePolicy queue) {
    EventHeader header = EventHeader.bySystem(ENVIRONMENT, run.id(), NOON);
    List<RunEvent> events = List.of(
        new RunEvent.LeaseClaimed(
            header, new Lease("tok_" + run.id(), "worker_1", NOON.plus(MINUTE))),
        new RunEvent.Started(header, run.counters().attempts() + 1));
    return storage.claimRunLease(new ClaimRunLease(
        ENVIRONMENT,
        run.id(),
        run.eventSequence(),
        events,
        RunReducer.projectRunEvents(run, run.eventSequence(), events),
        queue,
        NOON));
  }

  static Future<AppendedRun> succeed(StorageAdapter storage, RunRecord run) {
    EventHeader header = EventHeader.bySystem(ENVIRONMENT, run.id(), run.updatedAt());
    return append(storage, run, new RunEvent.Succeeded(header, run.counters().attempts(), null));
  }

  static Future<AppendedRun> append(StorageAdapter storage, RunRecord run, RunEvent event) {
    RunRecord projected = RunReducer.projectRunEvents(run, run.eventSequence(), List.of(event));
    return storage.appendRunEvents(AppendRunEvents.of(projected, List.of(event), NOON));
  }

  static RunlaneException unavailable(Future<?> future) {
    RunlaneException failure = failure(future);
    if (failure.code() != ErrorCode.STORAGE_UNAVAILABLE || !failure.isRetryable()) {
      throw new AssertionError("expected storage to be unavailable for now", failure);
    }
    return failure;
  }

  void audit() {
    done(CapacityAudit.check(vertx, options.getConnectOptions(), schema()));
  }

  @Override
  public void close() {
    connections.forEach(connection -> done(connection.close().otherwiseEmpty()));
    if (!adapters.isEmpty()) {
      audit();
    }
    adapters.forEach(adapter -> done(adapter.close()));
    done(vertx.close());
  }
}
