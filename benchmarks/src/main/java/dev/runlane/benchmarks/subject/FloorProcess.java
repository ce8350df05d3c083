package dev.runlane.benchmarks.subject;

import dev.runlane.benchmarks.measure.Bursts;
import dev.runlane.benchmarks.measure.Seen;
import dev.runlane.benchmarks.measure.Stopwatch;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A measured process that stores what a run's life comes to and nothing else: two events when it is created, two when
 * it is claimed and one when it ends, each step of many runs in one statement, and payloads that are decoded. No
 * record is projected, no answer is compared, no lease is renewed, and there is one index a table.
 */
public final class FloorProcess {
  private static final int MANY = 250;
  private static final long PATIENCE_SECONDS = 600;

  private static final List<String> TABLES = List.of(
      "CREATE TABLE events (run_id text COLLATE \"C\", sequence int, type text, at timestamptz, body text,"
          + " PRIMARY KEY (run_id, sequence))",
      "CREATE TABLE waiting (due timestamptz, run_id text COLLATE \"C\", PRIMARY KEY (due, run_id))",
      "CREATE TABLE leased (run_id text COLLATE \"C\" PRIMARY KEY, until timestamptz)",
      "CREATE TABLE ended (run_id text COLLATE \"C\" PRIMARY KEY, status text, at timestamptz)");

  private static final String CREATE = """
      WITH p AS MATERIALIZED (SELECT * FROM unnest($1::text[], $2::text[]) AS p(run_id, body)),
      e AS (INSERT INTO events SELECT run_id, 1, 'run.created', now(), body FROM p
        UNION ALL SELECT run_id, 2, 'run.delivery_requested', now(), '{}' FROM p)
      INSERT INTO waiting SELECT now(), run_id FROM p""";

  private static final String CLAIM = """
      WITH c AS MATERIALIZED (SELECT due, run_id FROM waiting ORDER BY due, run_id LIMIT $1 FOR UPDATE SKIP LOCKED),
      x AS (DELETE FROM waiting WHERE (due, run_id) IN (SELECT due, run_id FROM c)),
      l AS (INSERT INTO leased SELECT run_id, now() + interval '30 s' FROM c),
      e AS (INSERT INTO events SELECT run_id, 3, 'run.lease_claimed', now(), '{}' FROM c
        UNION ALL SELECT run_id, 4, 'run.started', now(), '{}' FROM c)
      SELECT c.run_id, b.body FROM c CROSS JOIN LATERAL
        (SELECT body FROM events v WHERE v.run_id = c.run_id AND v.sequence = 1 LIMIT 1) b""";

  private static final String END = """
      WITH p AS MATERIALIZED (SELECT * FROM unnest($1::text[]) AS p(run_id)),
      x AS (DELETE FROM leased WHERE run_id = ANY($1::text[])),
      t AS (INSERT INTO ended SELECT run_id, 'succeeded', now() FROM p)
      INSERT INTO events SELECT run_id, 5, 'run.succeeded', now(), '{}' FROM p""";

  private final Phases phases = new Phases();
  private final ProcessSettings settings = phases.settings();
  private final Workload workload = settings.workload();
  private final Vertx vertx = Vertx.vertx();
  private final Context context = vertx.getOrCreateContext();
  private final Ids newIds = new Ids(Clock.system(), Randomness.system());
  private final Seen seen = new Seen(workload.allRuns());
  private final Pool pool = PgBuilder.pool()
      .using(vertx)
      .connectingTo(PgConnectOptions.fromUri(settings.database())
          .setCachePreparedStatements(true)
          .setPreparedStatementCacheSqlFilter(sql -> true)
          .addProperty("enable_seqscan", "off")
          .addProperty("plan_cache_mode", "force_generic_plan")
          .addProperty("jit", "off"))
      .with(new PoolOptions().setMaxSize(4))
      .build();
  private List<JsonObject> gathered = new ArrayList<>();
  private List<Promise<Void>> callers = new ArrayList<>();
  private int statements;

  private FloorProcess() {}

  /** Reads its settings from standard input. */
  public static void main(String[] args) {
    try {
      new FloorProcess().run();
      System.exit(0);
    } catch (RuntimeException failure) {
      failure.printStackTrace();
      System.exit(1);
    }
  }

  private void run() {
    TABLES.forEach(table -> await(pool.query(table).execute()));
    phases.reach("started");
    if (workload.role() == Role.DRAIN) {
      createMany(2, 0, workload.warmUp());
      await(drain());
      createMany(2, workload.warmUp(), workload.allRuns());
      phases.reach("ready");
      Stopwatch watch = Stopwatch.start();
      await(drain());
      JsonObject results = watch.results();
      seen.requireOnce(0, workload.allRuns());
      phases.reach("done", results);
    } else {
      create(0, workload.warmUp());
      phases.reach("ready");
      Stopwatch watch = Stopwatch.start();
      create(workload.warmUp(), workload.allRuns());
      phases.reach("done", watch.results());
    }
    await(pool.close());
    await(vertx.close());
  }

  private void create(int from, int end) {
    if (workload.role() == Role.ENQUEUE_MANY) {
      createMany(workload.concurrency(), from, end);
    } else {
      await(Bursts.run(context, workload.concurrency(), from, end, this::createOne));
    }
  }

  private void createMany(int callsAtOnce, int from, int end) {
    int calls = (end - from + MANY - 1) / MANY;
    await(Bursts.run(context, callsAtOnce, 0, calls, call -> {
      List<JsonObject> payloads = new ArrayList<>();
      for (int n = from + call * MANY; n < Math.min(end, from + (call + 1) * MANY); n++) {
        payloads.add(payload(n));
      }
      return create(payloads);
    }));
  }

  /** Goes with what others on this context want until one of two statements may be sent. */
  private Future<Void> createOne(int number) {
    Promise<Void> created = Promise.promise();
    gathered.add(payload(number));
    callers.add(created);
    if (gathered.size() == 1) {
      context.runOnContext(turn -> flush());
    }
    return created.future();
  }

  private void flush() {
    if (statements == 2 || gathered.isEmpty()) {
      return;
    }
    List<Promise<Void>> told = callers;
    List<JsonObject> payloads = gathered;
    gathered = new ArrayList<>();
    callers = new ArrayList<>();
    statements++;
    create(payloads).onComplete(done -> {
      statements--;
      told.forEach(each -> {
        if (done.succeeded()) {
          each.complete();
        } else {
          each.fail(done.cause());
        }
      });
      flush();
    });
  }

  private Future<RowSet<Row>> create(List<JsonObject> payloads) {
    String[] ids = new String[payloads.size()];
    String[] bodies = new String[ids.length];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = newIds.runId();
      bodies[i] = payloads.get(i).encode();
    }
    return pool.preparedQuery(CREATE).execute(Tuple.of(ids, (Object) bodies));
  }

  private static JsonObject payload(int number) {
    return new JsonObject()
        .put("number", number)
        .put("sentNanos", System.nanoTime())
        .put("text", Payload.FILLER);
  }

  /** Ends one batch while it claims the next. */
  private Future<Void> drain() {
    return onContext(Future.succeededFuture());
  }

  private Future<Void> onContext(Future<?> before) {
    return pool.preparedQuery(CLAIM).execute(Tuple.of(workload.concurrency())).compose(claimed -> {
      if (claimed.size() == 0) {
        return before.mapEmpty();
      }
      String[] ids = new String[claimed.size()];
      int at = 0;
      for (Row row : claimed) {
        ids[at++] = row.getString(0);
        seen.add(new JsonObject(row.getString(1)).getInteger("number"));
      }
      return before.compose(
          done -> onContext(pool.preparedQuery(END).execute(Tuple.of((Object) ids))));
    });
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException late) {
      throw new IllegalStateException("not done within " + PATIENCE_SECONDS + " s", late);
    }
  }
}
