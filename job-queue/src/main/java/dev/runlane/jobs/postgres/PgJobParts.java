package dev.runlane.jobs.postgres;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.postgres.life.BatchedSaves;
import dev.runlane.jobs.postgres.life.BulkChanges;
import dev.runlane.jobs.postgres.life.JobEntries;
import dev.runlane.jobs.postgres.life.JobFetches;
import dev.runlane.jobs.postgres.life.JobFinishes;
import dev.runlane.jobs.postgres.life.JobSaves;
import dev.runlane.jobs.postgres.life.JobWork;
import dev.runlane.jobs.postgres.life.PlainEnds;
import dev.runlane.jobs.postgres.life.StrayEntries;
import dev.runlane.jobs.postgres.log.JobEvents;
import dev.runlane.jobs.postgres.log.JobLine;
import dev.runlane.jobs.postgres.log.JobLines;
import dev.runlane.jobs.postgres.log.JobMetrics;
import dev.runlane.jobs.postgres.operate.JobChanges;
import dev.runlane.jobs.postgres.operate.JobReads;
import dev.runlane.jobs.postgres.operate.JobSchedules;
import dev.runlane.jobs.postgres.operate.JobWebhookDesk;
import dev.runlane.jobs.postgres.operate.QueueRemovals;
import dev.runlane.jobs.postgres.row.JobRows;
import dev.runlane.jobs.postgres.row.JobSession;
import dev.runlane.jobs.postgres.row.JobStatements;
import dev.runlane.jobs.postgres.row.JobTexts;
import dev.runlane.jobs.postgres.row.JobTransactions;
import dev.runlane.jobs.postgres.row.JoinedTransactions;
import dev.runlane.jobs.postgres.row.PooledTransactions;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FinishAndFetch;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.FinishedAndFetched;
import dev.runlane.jobs.store.JobStoreOptions;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.postgres.BatchLimits;
import dev.runlane.postgres.CommandBatcher;
import dev.runlane.postgres.ConnectionBounds;
import dev.runlane.postgres.ContentionRetry;
import dev.runlane.postgres.LeaseBound;
import dev.runlane.postgres.PgConnections;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.PgListener;
import dev.runlane.postgres.PgTuning;
import dev.runlane.postgres.StatementSlots;
import dev.runlane.postgres.schema.Migrator;
import dev.runlane.postgres.statement.BoundStatements;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.ResourceCache;
import dev.runlane.postgres.statement.SchemaName;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a connected store is made of. */
public final class PgJobParts {
  private static final String MODULE = "job-queue";

  /** More ends of one call than this are a statement of their own. */
  private static final int MOST_GATHERED = 32;

  /**
   * For how long an end is sent again while somebody holds its row: whoever called sends it again by itself. One that
   * is the only one of its call, and needs the rows of its ancestors, where each child has its turn, may take longer.
   */
  private static final Duration OF_ONE_ROW = Duration.ofSeconds(1);

  private static final List<String> MIGRATIONS = List.of(
      "migrations/V001__jobs.sql",
      "migrations/V002__groups_in_turn.sql",
      "migrations/V003__mark_waiting_groups.sql",
      "migrations/V004__job_webhooks.sql",
      "migrations/V005__trigger_functions.sql",
      "migrations/V006__watch_job_ends_rights.sql");

  /** The best first; the database's own is what remains. */
  private static final List<String> FOLDING =
      List.of("und-x-icu", "pg_c_utf8", "C.utf8", "en_US.utf8");

  private static final String DEFAULT = "default";
  private static final SqlStatement<List<String>> COLLATIONS =
      SqlStatement.of("collations", new Parameters<List<String>>().texts("names", names -> names));

  /** The statements that are sent here. */
  public static final List<SqlStatement<?>> STATEMENTS = List.of(COLLATIONS);

  private static final ResourceCache<Folded, BoundStatements> BOUND =
      new ResourceCache<>(folded -> JobStatements.bind(folded.schema(), folded.fold(), all()));
  private static final ResourceCache<SchemaName, Migrator> MIGRATORS = new ResourceCache<>(
      schema -> new Migrator(MODULE, PgJobParts.class::getResourceAsStream, schema, MIGRATIONS));
  private static final Logger LOG = LoggerFactory.getLogger(PgJobParts.class);

  private final Timers timers;
  private final Pool pool;
  private final LeaseBound leases;
  private final StatementSlots slots;
  private final Duration closeTimeout;
  private final PgListener listener;
  private final JobSession session;
  private final PooledTransactions transactions;
  private final JobMetrics metrics;
  private final JobEvents events;
  private final JobFetches fetches;
  private final PlainEnds plainEnds;
  private final JobChanges changes;
  private final StrayEntries strayEntries;
  private final JobWebhookDesk webhooks;
  private final JobScope scope;
  private final BatchLimits bounds;
  private final OfQueues<CommandBatcher<FinishJob, Optional<FinishResult>>> plainFinishes;
  private final CommandBatcher<FinishJob, FinishResult> finishes;
  private final CommandBatcher<BatchedSaves.Call, List<SavedJob>> saves;
  private final CommandBatcher<JobLine, Boolean> lines;

  private PgJobParts(
      Vertx vertx, PgJobStoreOptions options, Pool pool, LeaseBound leases, JobSession session) {
    JobStoreOptions store = options.getStoreOptions();
    Randomness randomness = Randomness.system();
    this.pool = pool;
    this.leases = leases;
    this.closeTimeout = options.getCloseTimeout();
    this.session = session;
    this.listener = new PgListener(vertx, options.getConnectOptions());
    this.timers = Timers.of(vertx);
    this.transactions = new PooledTransactions(timers, pool, session);
    this.metrics = new JobMetrics(store, randomness.nextLong());
    Context context = StatementSlots.contextOf(vertx);
    this.events = new JobEvents(context, session, listener, store, Clock.system());
    this.fetches = new JobFetches(session, transactions, timers);
    this.changes = new JobChanges(session, transactions, metrics);
    this.strayEntries = new StrayEntries(session, transactions);
    this.webhooks = new JobWebhookDesk(session, transactions);
    this.scope = new JobScope(
        session,
        transactions,
        changes,
        new JobSchedules(session, transactions),
        new JobReads(session));
    this.plainEnds = new PlainEnds(session, transactions, fetches, metrics);
    JobFinishes ends = new JobFinishes(session, transactions, metrics);
    this.slots = new StatementSlots(context, options.getStatementSlots());
    this.bounds = new BatchLimits(
        options.getBatchSize(),
        options.getMaxPending(),
        options.getMaxPendingBytes(),
        () -> leases.atMost(options.getStatementDeadline()));
    this.plainFinishes = new OfQueues<>(() ->
        new CommandBatcher<>(vertx, slots, "finishJobs", JobFinishes.plain(plainEnds), bounds));
    this.finishes = new CommandBatcher<>(vertx, slots, "finishJobs", ends.any(), bounds);
    this.saves = new CommandBatcher<>(vertx, slots, "saveJobs", new BatchedSaves(session), bounds);
    this.lines = new CommandBatcher<>(vertx, slots, "appendLog", new JobLines(session), bounds);
  }

  /** What brings a schema forward. */
  static Migrator migrator(String schema) {
    return MIGRATORS.get(new SchemaName(schema));
  }

  /** Opens the pool and brings the schema forward. */
  static Future<PgJobParts> open(Vertx vertx, PgJobStoreOptions options) {
    Migrator migrator = migrator(options.getSchema());
    Future<Void> current = options.getStoreOptions().isAutoMigrate()
        ? migrator.migrate(vertx, options.getConnectOptions())
        : migrator.verify(vertx, options.getConnectOptions());
    return current
        .compose(ready -> connected(vertx, options))
        .recover(PgFailures.during("connecting the job store"));
  }

  private static Future<PgJobParts> connected(Vertx vertx, PgJobStoreOptions options) {
    LeaseBound leases = new LeaseBound(Timers.of(vertx));
    Pool pool = PgConnections.pool(
        vertx,
        tuned(options),
        options.getPoolOptions(),
        ConnectionBounds.of(options.getStatementDeadline(), options.getCloseTimeout())
            .underLease(leases));
    SchemaName schema = new SchemaName(options.getSchema());
    JobTexts json = new JobTexts();
    JobSession session = new JobSession(
        pool,
        BOUND.get(new Folded(schema, quoted(DEFAULT))),
        new JobRows(json),
        json,
        new Ids(Clock.system(), Randomness.system()),
        options.getSchema());
    return session
        .execute(COLLATIONS, FOLDING)
        .map(rows -> {
          Set<String> there = new HashSet<>();
          for (Row row : rows) {
            there.add(row.getString(0));
          }
          String fold = FOLDING.stream().filter(there::contains).findFirst().orElse(DEFAULT);
          return new PgJobParts(
              vertx,
              options,
              pool,
              leases,
              session.with(BOUND.get(new Folded(schema, quoted(fold)))));
        })
        .recover(
            failure -> pool.close().transform((closed, second) -> Future.failedFuture(failure)));
  }

  private static String quoted(String collation) {
    return '"' + collation + '"';
  }

  /**
   * Where an index has the order that is asked for, it is walked and not sorted after: how many rows a filter
   * leaves the planner cannot know, and a sort reads all that wait.
   */
  private static PgConnectOptions tuned(PgJobStoreOptions options) {
    PgConnectOptions tuned = PgTuning.tuned(
        options.getConnectOptions(), options.getLockTimeout(), options.getStatementTimeout());
    tuned.addProperty("enable_bitmapscan", "off");
    tuned.addProperty("enable_sort", "off");
    return tuned;
  }

  JobSession session() {
    return session;
  }

  PooledTransactions transactions() {
    return transactions;
  }

  JobMetrics metrics() {
    return metrics;
  }

  JobEvents events() {
    return events;
  }

  JobFetches fetches() {
    return fetches;
  }

  JobChanges changes() {
    return changes;
  }

  StrayEntries strayEntries() {
    return strayEntries;
  }

  JobWebhookDesk webhooks() {
    return webhooks;
  }

  /** The commands that may join a transaction, on the pool. */
  JobScope scope() {
    return scope;
  }

  /** The same in a caller's transaction. */
  JobScope scopeOn(SqlConnection connection) {
    JobSession joined = session.on(connection);
    JobTransactions parts = new JoinedTransactions(joined);
    return new JobScope(
        joined,
        parts,
        new JobChanges(joined, parts, metrics),
        new JobSchedules(joined, parts),
        new JobReads(joined));
  }

  /** Ends one hand-out together with others that end now. */
  private Future<FinishResult> finish(FinishJob command, Duration patience) {
    if (!PlainEnds.mayBe(command)) {
      return finishes.submit(command, patience);
    }
    return plainFinishes
        .get(command.lock().queueName())
        .submit(command, OF_ONE_ROW)
        .compose(plain ->
            plain.map(Future::succeededFuture).orElseGet(() -> finishes.submit(command, patience)));
  }

  /** Ends hand-outs, with others that end now where there are few. What they returned may fill several statements. */
  Future<List<FinishResult>> finish(List<FinishJob> commands) {
    return inParts(commands, this::finishPart);
  }

  private Future<List<FinishResult>> inParts(
      List<FinishJob> commands, Function<List<FinishJob>, Future<List<FinishResult>>> finish) {
    List<FinishResult> results = new ArrayList<>();
    Future<Boolean> ended = Future.succeededFuture();
    for (List<FinishJob> part : bounds.parts(commands, JobFinishes::bytesOf)) {
      ended = ended.compose(before -> finish.apply(part).map(results::addAll));
    }
    return ended.map(all -> results);
  }

  private Future<List<FinishResult>> finishPart(List<FinishJob> commands) {
    if (commands.size() > MOST_GATHERED
        && mayBePlain(commands, commands.get(0).lock().queueName())) {
      return transactions
          .unlessContended("finishJobs", () -> plainEnds.complete(commands))
          .compose(
              all -> all.map(plain -> others(commands, plain)).orElseGet(() -> each(commands)));
    }
    return each(commands);
  }

  /** One whose row somebody holds keeps no other from being stored, nor the answer waiting for long. */
  private Future<List<FinishResult>> each(List<FinishJob> commands) {
    Duration patience = commands.size() == 1 ? ContentionRetry.LONGEST : OF_ONE_ROW;
    return all(commands.stream().map(command -> finish(command, patience)).toList());
  }

  private static boolean mayBePlain(List<FinishJob> commands, String queue) {
    return commands.stream()
        .allMatch(each -> PlainEnds.mayBe(each) && each.lock().queueName().equals(queue));
  }

  /** Ends what needs more than its row. */
  private Future<List<FinishResult>> others(
      List<FinishJob> commands, List<Optional<FinishResult>> plain) {
    List<Future<FinishResult>> ended = new ArrayList<>();
    for (int i = 0; i < commands.size(); i++) {
      FinishJob command = commands.get(i);
      ended.add(plain
          .get(i)
          .map(Future::succeededFuture)
          .orElseGet(() -> finishes.submit(command, OF_ONE_ROW)));
    }
    return all(ended);
  }

  private static Future<List<FinishResult>> all(List<Future<FinishResult>> ended) {
    return Future.join(ended).map(all -> ended.stream().map(Future::result).toList());
  }

  /**
   * Ends hand-outs and then hands out jobs: at once where that is possible, else one after the other. Where somebody
   * holds the row of one for long, it fails soon, with the others stored and nothing handed out.
   */
  Future<FinishedAndFetched> finishAndFetch(FinishAndFetch command) {
    List<FinishJob> ends = command.finished();
    FetchJobs fetch = command.fetch();
    if (ends.isEmpty()) {
      return fetches.fetch(fetch).map(jobs -> new FinishedAndFetched(List.of(), jobs));
    }
    boolean fit = bounds.parts(ends, JobFinishes::bytesOf).size() == 1;
    return fit && mayBePlain(ends, fetch.queueName())
        ? transactions
            .unlessContended("finishAndFetch", () -> plainEnds.completeAndFetch(ends, fetch))
            .compose(both -> both.map(done -> afterwards(ends, fetch, done))
                .orElseGet(() -> oneAfterTheOther(ends, fetch)))
        : oneAfterTheOther(ends, fetch);
  }

  private Future<FinishedAndFetched> oneAfterTheOther(List<FinishJob> ends, FetchJobs fetch) {
    return inParts(ends, this::each).compose(results -> fetchBehindEnds(fetch)
        .map(jobs -> new FinishedAndFetched(results, jobs)));
  }

  /** An end that needs more than its row may make room, or let other jobs wait. */
  private Future<FinishedAndFetched> afterwards(
      List<FinishJob> ends, FetchJobs fetch, PlainEnds.Both both) {
    int left = fetch.limit() - both.fetched().size();
    boolean enough =
        left == 0 || (!both.mayBeMore() && both.ends().stream().allMatch(Optional::isPresent));
    return others(ends, both.ends())
        .recover(failure ->
            fetches.handBack(both.fetched()).transform(handedBack -> Future.failedFuture(failure)))
        .compose(results -> enough
            ? Future.succeededFuture(new FinishedAndFetched(results, both.fetched()))
            : fetchBehindEnds(fetch.upTo(left))
                .map(more -> new FinishedAndFetched(
                    results,
                    Stream.concat(both.fetched().stream(), more.stream()).toList())));
  }

  /** Nobody is told that ends failed which are stored. */
  private Future<List<JobData>> fetchBehindEnds(FetchJobs fetch) {
    return fetches.fetch(fetch).otherwise(failure -> {
      LOG.warn("no more jobs were fetched behind ends that are stored", failure);
      return List.of();
    });
  }

  /** Stores plain jobs together with others that are stored now. */
  Future<List<SavedJob>> save(BatchedSaves.Call call) {
    return saves.submit(call);
  }

  Future<Boolean> append(JobLine line) {
    return lines.submit(line);
  }

  /** Remembers for how long locks are asked for: what depends on them has a third of that. */
  void lockRequested(Duration lock) {
    leases.requested(lock);
  }

  /** Ends what is under way within the close timeout; where Postgres does not answer, its connections are given up. */
  Future<Void> close() {
    slots.close();
    Duration half = closeTimeout.dividedBy(2);
    return within(half, events.flush())
        .compose(flushed -> {
          events.clear();
          return within(half, Future.join(listener.close(), pool.close()));
        })
        .compose(closed -> {
          if (!closed) {
            LOG.warn("the job store is closed though Postgres does not answer");
          }
          return Future.succeededFuture();
        });
  }

  /** Whether it ended, in whatever way, in this time. */
  private Future<Boolean> within(Duration bound, Future<?> closing) {
    Promise<Boolean> first = Promise.promise();
    Timers.Timer timer = timers.schedule(bound, () -> first.tryComplete(false));
    closing.onComplete(ended -> {
      timer.cancel();
      first.tryComplete(true);
    });
    return first.future();
  }

  /** Not a constant: some of those that it names are made of constants of this class. */
  private static List<SqlStatement<?>> all() {
    return Stream.of(
            BulkChanges.STATEMENTS,
            JobChanges.STATEMENTS,
            JobCommands.STATEMENTS,
            JobEntries.STATEMENTS,
            JobEvents.STATEMENTS,
            JobFetches.STATEMENTS,
            JobLines.STATEMENTS,
            StrayEntries.STATEMENTS,
            JobMetrics.STATEMENTS,
            JobReads.STATEMENTS,
            JobSaves.STATEMENTS,
            JobSchedules.STATEMENTS,
            JobWebhookDesk.STATEMENTS,
            JobWork.STATEMENTS,
            STATEMENTS,
            PgJobStore.STATEMENTS,
            PlainEnds.STATEMENTS,
            QueueRemovals.STATEMENTS)
        .<SqlStatement<?>>flatMap(List::stream)
        .toList();
  }

  /** @param fold the collation that knows upper and lower case, quoted */
  private record Folded(SchemaName schema, String fold) {}
}
