package dev.runlane.jobs.postgres;

import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.run.Json;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.testinfra.postgres.ReusedSessions;
import dev.runlane.testinfra.process.Poll;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Stores on one schema that nobody else uses. */
public final class JobScene implements AutoCloseable {
  static final Instant NOON = Instant.parse("2026-03-04T12:00:00Z");
  static final String QUEUE = "orders";
  static final Duration LOCK = Duration.ofSeconds(30);
  static final JobOutcome DONE = new JobOutcome.Completed(Json.ofChecked("true"));

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final PostgresAddress DATABASE = PostgresServers.shared().createDatabase("jobs");
  private static final AtomicInteger SCHEMAS = new AtomicInteger();

  /** A case opens some five connections: to start a server process for each takes longer than the case. */
  private static final ReusedSessions SESSIONS = new ReusedSessions(DATABASE);

  private final Vertx vertx = Vertx.vertx();
  private final PgJobStoreOptions options;
  private final List<PgJobStore> stores = new ArrayList<>();
  private @Nullable PgConnection observer;

  private JobScene(PgConnectOptions address) {
    options = new PgJobStoreOptions().setConnectOptions(address).setSchema(newSchema());
  }

  /** The database that all cases share. */
  static PgConnectOptions address() {
    return options(DATABASE);
  }

  static PgConnectOptions options(PostgresAddress address) {
    return PgConnectOptions.fromUri(address.toUri()).addProperty("client_min_messages", "warning");
  }

  /** The same by sessions that others have left, for cases that are not about connections. */
  static PgConnectOptions reused() {
    return options(SESSIONS.address());
  }

  /** The same for another process. */
  public String databaseUri() {
    return DATABASE.toUri();
  }

  static String newSchema() {
    return "case_" + SCHEMAS.incrementAndGet();
  }

  public static JobScene open() {
    return new JobScene(reused());
  }

  /** For what is about connections, or counts what they have read. */
  public static JobScene direct() {
    return new JobScene(address());
  }

  static JobScene on(PgConnectOptions address) {
    return new JobScene(address);
  }

  Vertx vertx() {
    return vertx;
  }

  public PgJobStoreOptions options() {
    return new PgJobStoreOptions(options);
  }

  /** A store that is not connected. */
  PgJobStore create(PgJobStoreOptions with) {
    PgJobStore store = PgJobStore.create(vertx, with);
    stores.add(store);
    return store;
  }

  public PgJobStore connected() {
    PgJobStore store = create(options());
    done(store.connect());
    return store;
  }

  public RowSet<Row> sql(String statements) {
    return done(connect().compose(connection -> connection
        .query(statements.replace("{s}", options.getSchema()))
        .execute()
        .eventually(connection::close)));
  }

  public Future<PgConnection> connect() {
    return PgConnection.connect(vertx, options.getConnectOptions());
  }

  /** Somebody who holds the rows of these jobs until he ends his transaction. */
  PgConnection hold(String... ids) {
    PgConnection holder = done(connect());
    done(holder.query("BEGIN").execute());
    done(holder
        .preparedQuery(
            "SELECT FROM %s.jobs WHERE id = ANY ($1) FOR UPDATE".formatted(options.getSchema()))
        .execute(Tuple.of(ids)));
    return holder;
  }

  /** Waits, by asking again and again, where nothing signals. */
  static void until(BooleanSupplier condition) {
    assertThat(Poll.until(PATIENCE, condition)).as("it happens in time").isTrue();
  }

  public long number(String query) {
    return sql(query).iterator().next().getLong(0);
  }

  /** What the server's statistics say, by one connection for all such questions, which reads nothing else. */
  public long statistic(String query) {
    if (observer == null) {
      observer = done(connect());
    }
    return done(observer.query(query.replace("{s}", options.getSchema())).execute())
        .iterator()
        .next()
        .getLong(0);
  }

  /**
   * Otherwise a connection tells what it has read once a second: tells it at each of these statements, such as {@code
   * INSERT ON {s}.job_pauses}. Leaves the test out before PostgreSQL 15.
   */
  void countReadsAtOnce(String statements) {
    assumeThat(number("SELECT count(*) FROM pg_proc WHERE proname = 'pg_stat_force_next_flush'"))
        .as("a server that can be told to count at once, as from PostgreSQL 15 on")
        .isPositive();
    sql("""
        CREATE FUNCTION {s}.count_at_once() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM pg_stat_force_next_flush();
          RETURN NULL;
        END $$;
        CREATE TRIGGER count_at_once AFTER %s
          FOR EACH STATEMENT EXECUTE FUNCTION {s}.count_at_once()
        """.formatted(statements));
  }

  static NewJob job(String name) {
    return job(name, JobOptions.NONE);
  }

  static NewJob job(String name, JobOptions options) {
    return NewJob.of(name, Json.ofChecked("{\"n\":1}"), options, NOON);
  }

  static List<NewJob> jobs(int count) {
    return IntStream.range(0, count).mapToObj(i -> job("job_" + i)).toList();
  }

  static FetchJobs fetching(int limit, FetchOptions options) {
    return new FetchJobs(QUEUE, "worker-1", LOCK, options, limit, NOON);
  }

  static FinishJob completing(JobData running) {
    return FinishJob.of(running.lock(), DONE, NOON.plusSeconds(1));
  }

  static List<FinishResult> completeAll(PgJobStore store, List<JobData> running) {
    return done(store.finishJobs(running.stream().map(JobScene::completing).toList()));
  }

  @Override
  public void close() {
    done(Future.join(stores.stream().map(PgJobStore::disconnect).toList()));
    done(vertx.close());
  }
}
