package dev.runlane.jobs.postgres;

import static dev.runlane.jobs.JobTimes.millis;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.MetricsBucket;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.jobs.postgres.life.BatchedSaves;
import dev.runlane.jobs.postgres.life.BulkChanges;
import dev.runlane.jobs.postgres.life.JobSaves;
import dev.runlane.jobs.postgres.log.JobEvents;
import dev.runlane.jobs.postgres.log.JobLine;
import dev.runlane.jobs.postgres.log.JobMetrics;
import dev.runlane.jobs.postgres.row.JobStatements;
import dev.runlane.jobs.store.CancelResult;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FinishAndFetch;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.FinishedAndFetched;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.jobs.store.JobChecks;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.LockStatus;
import dev.runlane.jobs.store.MetricsQuery;
import dev.runlane.jobs.store.Obliterate;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.jobs.webhook.ClaimJobDeliveries;
import dev.runlane.jobs.webhook.FinishJobDeliveries;
import dev.runlane.jobs.webhook.JobDelivery;
import dev.runlane.jobs.webhook.JobWebhookStore;
import dev.runlane.jobs.webhook.RegisterJobWebhooks;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.schema.Migrator;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Jobs in Postgres. What callers of a process want at the same time, adding plain jobs, ending hand-outs, adding
 * lines to logs, is sent as one statement, each with an answer of its own; everything else is one statement or one
 * transaction. Other processes learn of events by NOTIFY.
 *
 * <p>A job or schedule whose row this release cannot read, as of a later one, is left out of lists and keeps no other
 * from being handed out or fired; handed out itself, it is delayed by a minute. A redrive leaves it in its queue, and a
 * dead letter whose deduplication key it holds. The log has a line each time. What is meant for it alone, such as to
 * ask for it by its id, fails with {@link ErrorCode#INVARIANT_VIOLATION}, with {@code jobId} and {@code queueName} in
 * the failure's meta.
 *
 * <p>{@link #on(SqlConnection)} adds jobs in a transaction of the caller's.
 */
public final class PgJobStore extends JobCommands {
  private static final SqlStatement<Extended> EXTEND_LOCK = SqlStatement.of(
      "extend_lock",
      new Parameters<Extended>()
          .of(Extended::job, JobStatements.OF_JOB)
          .time("until", Extended::until));
  private static final Parameters<AllExtended> OF_LOCKS =
      new Parameters<AllExtended>().rows(AllExtended::locks, JobStatements.LOCKS);
  private static final SqlStatement<AllExtended> EXTEND_ANY_LOCKS = SqlStatement.of(
      "extend_locks",
      OF_LOCKS
          .texts(
              "all_queues",
              all -> all.locks().stream().map(JobLock::queueName).distinct().toList())
          .time("until", AllExtended::until));
  private static final SqlStatement<AllExtended> EXTEND_LOCKS =
      EXTEND_ANY_LOCKS.variant("others", "SKIP LOCKED");
  private static final SqlStatement<AllExtended> EXTEND_LOCKS_WAITING =
      EXTEND_ANY_LOCKS.variant("others", "");
  private static final SqlStatement<AllExtended> LIST_HELD =
      SqlStatement.of("list_held", OF_LOCKS.time("now", AllExtended::now));
  private static final SqlStatement<Released> RELEASE_LOCK = SqlStatement.of(
      "release_lock",
      new Parameters<Released>()
          .of(Released::job, JobStatements.OF_JOB)
          .value("token", Released::token));

  /** The statements that are sent here. */
  public static final List<SqlStatement<?>> STATEMENTS =
      List.of(EXTEND_LOCK, EXTEND_LOCKS, EXTEND_LOCKS_WAITING, LIST_HELD, RELEASE_LOCK);

  /** Calls with more jobs than this are sent alone, not gathered with others. */
  private static final int MOST_GATHERED_JOBS = 64;

  /** How often locks of rows that somebody holds are tried, each time for as long as a lock may be waited for. */
  private static final int TRIES_FOR_HELD = 3;

  /** Buckets of metrics that one call adds up: minutes that go on may otherwise keep it for ever. */
  private static final int MOST_BUCKETS = 1_000_000;

  private final Vertx vertx;
  private final PgJobStoreOptions options;
  private volatile @Nullable Future<PgJobParts> parts;
  private volatile boolean closed;

  private PgJobStore(Vertx vertx, PgJobStoreOptions options) {
    this.vertx = vertx;
    this.options = new PgJobStoreOptions(options);
  }

  /** What brings a schema forward, for tools that do so apart from any process. Throws {@code ConfigurationInvalid}. */
  @SuppressWarnings("exports") // for the project's own tools
  public static Migrator migrator(String schema) {
    return PgJobParts.migrator(schema);
  }

  /** A store that {@link #connect()} opens. */
  public static PgJobStore create(Vertx vertx, PgJobStoreOptions options) {
    return new PgJobStore(vertx, options);
  }

  /**
   * The store in a transaction of the caller's, for as long as that lasts: what is stored exists if and only if the
   * caller commits. Nothing is gathered, and a command that fails leaves the database's transaction usable; one that
   * was begun as a {@link io.vertx.sqlclient.Transaction} the client rolls back once a statement in it has failed.
   * The key of a deduplicated job, and a group of bounded size, stay locked for other adders until the transaction
   * ends. How many jobs of a bounded group wait can be counted in a transaction that is {@code READ COMMITTED} alone:
   * in any other such a job is refused with {@link ErrorCode#VALIDATION_FAILED}, since its snapshot may be older than
   * jobs that wait. Another job may fail there as any write does, with a retryable {@link
   * ErrorCode#STORAGE_UNAVAILABLE}. No event is published: after the commit the caller publishes {@link
   * StoreEventType#JOB_WAITING}, else workers find the jobs by polling. Handing out, ending and locking jobs, events
   * and metrics fail with {@link ErrorCode#CAPABILITY_UNSUPPORTED}, since others must see them at once.
   */
  public JobStore on(SqlConnection connection) {
    return new JoinedJobs(this::opened, connection);
  }

  @Override
  public Future<Void> connect() {
    return AdapterCall.of("connect", () -> {
      synchronized (this) { // any thread may connect, and only one pool may come of it
        Future<PgJobParts> opening = parts;
        if (opening == null || opening.failed()) {
          opening = PgJobParts.open(vertx, options);
          parts = opening;
          closed = false;
        }
        return opening.mapEmpty();
      }
    });
  }

  @Override
  public Future<Void> disconnect() {
    return AdapterCall.of("disconnect", () -> {
      Future<PgJobParts> opened;
      synchronized (this) {
        opened = parts;
        parts = null;
        closed = true;
      }
      return opened == null
          ? Future.succeededFuture()
          : opened.transform(
              (open, failure) -> failure == null ? open.close() : Future.succeededFuture());
    });
  }

  private Future<PgJobParts> opened() {
    Future<PgJobParts> opened = parts;
    if (opened != null) {
      return opened;
    }
    return Future.failedFuture(
        closed
            ? RunlaneException.of(ErrorCode.OPERATION_CANCELLED, "the job store is closed")
            : RunlaneException.unavailable(
                ErrorCode.STORAGE_UNAVAILABLE, null, "the job store is not connected"));
  }

  @Override
  Future<JobScope> scope() {
    return opened().map(PgJobParts::scope);
  }

  @Override
  <T> Future<T> statement(String operation, Function<JobScope, Future<T>> work) {
    return opened()
        .compose(open -> open.transactions().statement(operation, () -> work.apply(open.scope())));
  }

  private <T> Future<T> parts(
      String operation, Runnable checks, Function<PgJobParts, Future<T>> work) {
    return AdapterCall.of(operation, () -> {
          checks.run();
          return opened().compose(work);
        })
        .recover(PgFailures.during(operation));
  }

  @Override
  public Future<List<SavedJob>> saveJobs(String queueName, List<NewJob> jobs, Instant now) {
    return parts("saveJobs", () -> checkSave(queueName, jobs, now), open -> {
      if (jobs.isEmpty()) {
        return Future.succeededFuture(List.of());
      }
      if (!jobs.stream().allMatch(JobSaves::isPlain)) {
        return saveNamed(open.scope(), queueName, jobs, now);
      }
      return savePlain(
          open, jobs.stream().map(job -> new FlowNode(queueName, job)).toList());
    });
  }

  /**
   * Jobs of which some have ids and some have not need a transaction: with a part of them stored, the caller could not
   * make a call that failed again. So do those that are too large for one statement.
   */
  private static Future<List<SavedJob>> savePlain(PgJobParts open, List<FlowNode> jobs) {
    long named = jobs.stream().filter(each -> each.job().id() != null).count();
    List<FlowNode> added = new JobSaves(open.session()).withIds(jobs);
    boolean fits = JobSaves.statements(added).size() == 1;
    if (fits && jobs.size() <= MOST_GATHERED_JOBS && (named == 0 || named == jobs.size())) {
      return open.save(new BatchedSaves.Call(added, named > 0));
    }
    return named == 0 && fits
        ? open.transactions()
            .statement("saveJobs", () -> new JobSaves(open.session()).addPlain(added, false))
        : open.transactions().run("saveJobs", tx -> new JobSaves(tx).addPlain(added, named > 0));
  }

  @Override
  public Future<List<JobData>> fetchNextJobs(FetchJobs command) {
    return parts("fetchNextJobs", () -> JobChecks.check(command), open -> {
      open.lockRequested(command.lockDuration());
      return open.fetches().fetch(command);
    });
  }

  @Override
  public Future<Boolean> extendLock(
      String queueName, String jobId, Duration duration, Instant now) {
    Runnable checks = () -> {
      JobChecks.requireJob(queueName, jobId);
      JobChecks.requireLock(duration, now);
    };
    return parts("extendLock", checks, open -> open.transactions()
        .statement("extendLock", () -> open.session()
            .execute(
                EXTEND_LOCK,
                new Extended(new JobRef(queueName, jobId), millis(now).plus(duration))))
        .map(rows -> rows.rowCount() > 0));
  }

  @Override
  public Future<List<LockStatus>> extendLocks(List<JobLock> locks, Duration duration, Instant now) {
    Runnable checks = () -> {
      JobChecks.requireLocks(locks);
      JobChecks.requireLock(duration, now);
    };
    return parts(
        "extendLocks",
        checks,
        open -> locks.isEmpty()
            ? Future.succeededFuture(List.of())
            : extend(open, locks, duration, millis(now)));
  }

  /** A row that somebody holds keeps no other lock from being extended. */
  private static Future<List<LockStatus>> extend(
      PgJobParts open, List<JobLock> locks, Duration duration, Instant now) {
    Instant until = now.plus(duration);
    List<JobLock> ordered = locks.stream()
        .sorted(Comparator.comparing(JobLock::queueName).thenComparing(JobLock::jobId))
        .toList();
    return open.transactions()
        .statement(
            "extendLocks", () -> statuses(open, EXTEND_LOCKS, new AllExtended(ordered, until, now)))
        .compose(extended -> {
          List<JobLock> left =
              ordered.stream().filter(lock -> !extended.containsKey(ref(lock))).toList();
          Future<Map<JobRef, LockStatus>> others = left.isEmpty()
              ? Future.succeededFuture(Map.of())
              : extendHeld(open, new AllExtended(left, until, now), TRIES_FOR_HELD);
          return others.map(held -> locks.stream()
              .map(lock ->
                  extended.getOrDefault(ref(lock), held.getOrDefault(ref(lock), LockStatus.LOST)))
              .toList());
        });
  }

  /**
   * Waits a little for who holds the rows; who holds them longer keeps the locks from being extended this time. One
   * that had run out at {@code now} is lost then: as soon as the row is free anybody may take the job over.
   */
  private static Future<Map<JobRef, LockStatus>> extendHeld(
      PgJobParts open, AllExtended left, int tries) {
    return statuses(open, EXTEND_LOCKS_WAITING, left).recover(failure -> {
      if (!PgFailures.mayBeSentAgain(failure)) {
        return Future.failedFuture(failure);
      }
      return tries > 1 ? extendHeld(open, left, tries - 1) : extendFree(open, left);
    });
  }

  /** The locks whose rows nobody holds any more, beside those of which somebody still does. */
  private static Future<Map<JobRef, LockStatus>> extendFree(PgJobParts open, AllExtended left) {
    return statuses(open, EXTEND_LOCKS, left)
        .compose(extended -> statuses(open, LIST_HELD, left).map(held -> {
          held.putAll(extended);
          return held;
        }));
  }

  private static Future<Map<JobRef, LockStatus>> statuses(
      PgJobParts open, SqlStatement<AllExtended> statement, AllExtended locks) {
    return open.session().execute(statement, locks).map(rows -> {
      Map<JobRef, LockStatus> held = new HashMap<>();
      rows.forEach(row -> held.put(
          new JobRef(row.getString(0), row.getString(1)),
          row.getBoolean(2) ? LockStatus.HELD_CANCELLED : LockStatus.HELD));
      return held;
    });
  }

  private static JobRef ref(JobLock lock) {
    return new JobRef(lock.queueName(), lock.jobId());
  }

  @Override
  public Future<Void> releaseLock(String queueName, String jobId) {
    return parts("releaseLock", () -> JobChecks.requireJob(queueName, jobId), open -> release(
            open, queueName, jobId, null)
        .mapEmpty());
  }

  @Override
  public Future<Boolean> releaseLock(JobLock lock) {
    return parts(
        "releaseLock",
        () -> JobChecks.requireLock(lock),
        open -> release(open, lock.queueName(), lock.jobId(), lock.token()));
  }

  private static Future<Boolean> release(
      PgJobParts open, String queueName, String jobId, @Nullable String token) {
    Released released = new Released(new JobRef(queueName, jobId), token);
    return open.transactions()
        .statement("releaseLock", () -> open.session().execute(RELEASE_LOCK, released))
        .map(rows -> rows.rowCount() > 0);
  }

  @Override
  public Future<List<FinishResult>> finishJobs(List<FinishJob> commands) {
    return parts("finishJobs", () -> JobChecks.check(commands), open -> open.finish(commands));
  }

  @Override
  public Future<FinishedAndFetched> finishAndFetch(FinishAndFetch command) {
    return parts("finishAndFetch", () -> JobChecks.check(command), open -> {
      open.lockRequested(command.fetch().lockDuration());
      return open.finishAndFetch(command);
    });
  }

  @Override
  public Future<Boolean> cancelJob(String queueName, String jobId, Instant now) {
    Runnable checks = () -> {
      JobChecks.requireJob(queueName, jobId);
      JobChecks.requireInstant("now", now);
    };
    return parts("cancelJob", checks, open -> open.transactions()
        .statement(
            "cancelJob", () -> open.changes().requestCancellation(queueName, jobId, millis(now)))
        .compose(requested -> requested
            ? notifyCancelled(open, queueName, jobId, now).map(true)
            : Future.succeededFuture(false)));
  }

  private static Future<Void> notifyCancelled(
      PgJobParts open, String queueName, String jobId, Instant now) {
    return open.events()
        .publish(List.of(StoreEvent.of(StoreEventType.JOB_CANCELLED, queueName, jobId, now)));
  }

  @Override
  public Future<CancelResult> cancelOpenJob(String queueName, String jobId, Instant now) {
    Runnable checks = () -> {
      JobChecks.requireJob(queueName, jobId);
      JobChecks.requireInstant("now", now);
    };
    return parts("cancelOpenJob", checks, open -> open.changes()
        .cancelOpen(queueName, jobId, millis(now))
        .compose(result -> result instanceof CancelResult.Requested
            ? notifyCancelled(open, queueName, jobId, now).map(result)
            : Future.succeededFuture(result)));
  }

  @Override
  public Future<Boolean> appendLog(String queueName, String jobId, String line) {
    Runnable checks = () -> {
      JobChecks.requireJob(queueName, jobId);
      JobChecks.requireLine(line);
    };
    JobLine added = new JobLine(new JobRef(queueName, jobId), line, null);
    return parts("appendLog", checks, open -> open.append(added));
  }

  @Override
  public Future<Boolean> appendLog(JobLock lock, String line) {
    Runnable checks = () -> {
      JobChecks.requireLock(lock);
      JobChecks.requireLine(line);
    };
    JobLine added = new JobLine(new JobRef(lock.queueName(), lock.jobId()), line, lock.token());
    return parts("appendLog", checks, open -> open.append(added));
  }

  /**
   * Takes in what waits to be known of groups, besides, as a worker that asks for no groups never does, and, where no
   * expired jobs are left, forgets groups that have been without a waiting job for long, and removes entries of jobs
   * that are gone.
   */
  @Override
  public Future<Integer> removeExpiredJobs(String queueName, Instant now, int limit) {
    return super.removeExpiredJobs(queueName, now, limit)
        .compose(removed -> parts("removeExpiredJobs", () -> {}, open -> open.fetches()
            .takeMarks(queueName)
            .compose(taken ->
                removed < limit ? open.fetches().forgetGroups(queueName) : Future.succeededFuture())
            .compose(forgotten -> open.strayEntries().remove(queueName))
            .map(removed)));
  }

  /** Forgets, besides, how far the sweeps of the queue got in its groups. */
  @Override
  public Future<List<JobChange>> obliterate(String queueName, Obliterate how, Instant now) {
    return super.obliterate(queueName, how, now).onSuccess(changes -> {
      Future<PgJobParts> opened = parts;
      if (opened != null) {
        opened.onSuccess(open -> open.fetches().forgetWalk(queueName));
      }
    });
  }

  @Override
  public Future<Void> subscribe(String queueName, Consumer<StoreEvent> listener) {
    return parts("subscribe", () -> JobChecks.requireQueue(queueName), open -> open.events()
        .subscribe(queueName, Objects.requireNonNull(listener)));
  }

  @Override
  public Future<Void> unsubscribe(String queueName, Consumer<StoreEvent> listener) {
    return unsubscribed(queueName, events -> events.unsubscribe(queueName, listener));
  }

  @Override
  public Future<Void> unsubscribe(String queueName) {
    return unsubscribed(queueName, events -> events.unsubscribe(queueName));
  }

  /** Without a connection there is nothing to end. */
  private Future<Void> unsubscribed(String queueName, Function<JobEvents, Future<Void>> end) {
    Future<PgJobParts> opened = parts;
    return opened == null || !opened.succeeded()
        ? Future.succeededFuture()
        : parts(
            "unsubscribe",
            () -> JobChecks.requireQueue(queueName),
            open -> end.apply(open.events()));
  }

  @Override
  public Future<Void> publish(StoreEvent event) {
    return publishAll(List.of(event));
  }

  @Override
  public Future<Void> publishAll(List<StoreEvent> events) {
    return parts(
        "publishAll",
        () -> {
          JobChecks.requireCount("events", events);
          events.forEach(event -> JobChecks.requireQueue(event.queueName()));
        },
        open -> open.events().publish(events));
  }

  @Override
  public boolean sharesEvents() {
    return true;
  }

  @Override
  public Future<List<MetricsBucket>> getMetrics(MetricsQuery query) {
    return parts("getMetrics", () -> JobChecks.check(query), open -> open.metrics()
        .list(open.session(), query));
  }

  @Override
  public Future<Void> aggregateMetrics(Instant now) {
    return parts("aggregateMetrics", () -> JobChecks.requireInstant("now", now), open -> addUp(
            open, millis(now))
        .compose(added -> BulkChanges.byParts(MOST_BUCKETS, size -> open.transactions()
            .run("aggregateMetrics", tx -> open.metrics().drop(tx, millis(now), size))))
        .mapEmpty());
  }

  /** Each part behind the one before it: what was added already is walked over once. */
  private static Future<Integer> addUp(PgJobParts open, Instant now) {
    Instant recent = open.metrics().recent(now);
    AtomicReference<JobMetrics.Bucket> behind = new AtomicReference<>(JobMetrics.Bucket.FIRST);
    return BulkChanges.byParts(MOST_BUCKETS, size -> open.transactions()
            .run("aggregateMetrics", tx -> open.metrics()
                .aggregate(tx, recent, Objects.requireNonNull(behind.get()), size))
            .map(added -> {
              behind.set(added.last());
              return added.count();
            }))
        .map(added -> {
          if (recent == null) {
            open.metrics().addedUp(now);
          }
          return added;
        });
  }

  @Override
  public Optional<JobWebhookStore> webhooks() {
    return Optional.of(new Webhooks());
  }

  private final class Webhooks implements JobWebhookStore {
    @Override
    public Future<Void> registerWebhooks(RegisterJobWebhooks command) {
      return parts("registerWebhooks", () -> JobChecks.check(command), open -> open.webhooks()
          .register(command));
    }

    @Override
    public Future<List<JobDelivery>> claimDeliveries(ClaimJobDeliveries command) {
      return parts("claimDeliveries", () -> JobChecks.check(command), open -> open.webhooks()
          .claim(command));
    }

    @Override
    public Future<Void> finishDeliveries(FinishJobDeliveries command) {
      return parts("finishDeliveries", () -> JobChecks.check(command), open -> open.webhooks()
          .finish(command));
    }
  }

  private record Extended(JobRef job, Instant until) {}

  private record AllExtended(List<JobLock> locks, Instant until, Instant now) {}

  private record Released(JobRef job, @Nullable String token) {}
}
