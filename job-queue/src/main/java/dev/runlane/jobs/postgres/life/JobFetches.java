package dev.runlane.jobs.postgres.life;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.RateLimit;
import dev.runlane.jobs.postgres.row.AdvisoryKey;
import dev.runlane.jobs.postgres.row.JobRows;
import dev.runlane.jobs.postgres.row.JobSession;
import dev.runlane.jobs.postgres.row.JobStatements;
import dev.runlane.jobs.postgres.row.JobTransactions;
import dev.runlane.jobs.postgres.row.PooledTransactions;
import dev.runlane.jobs.postgres.row.SentStatement;
import dev.runlane.jobs.postgres.row.StoredJob;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands out jobs. Without a limit that spans rows that is one statement, which waits for no lock. With one, fetches
 * of a queue come one after the other: what they count is true as long as they hold the queue's lock, because only a
 * fetch raises it. Lock and fetch are two statements, since what a statement sees is no younger than its beginning,
 * but are sent together.
 *
 * <p>Groups in turn: {@code job_groups} has a row for each group that may have jobs, in the order of their turns, and
 * is written under the queue's lock alone. Whoever lets a job of a group wait leaves a mark, which the next fetch takes
 * in; so a group is never forgotten, however fetches and additions meet, and nobody who adds jobs waits for another.
 */
public final class JobFetches {
  private static final String LONGEST_WAIT = RateLimit.MOST_LATE.toMillis() + "ms";

  /** Marks of groups that one fetch takes in. */
  private static final long MOST_MARKS = 10_000;

  /**
   * Groups that a fetch looks at beyond those it needs, as some may have no job, or one whose row somebody holds; more
   * when it is made again.
   */
  private static final long SPARE_GROUPS = 4;

  private static final long SPARE_GROWTH = 8;
  private static final long MOST_SPARE_GROUPS = 1_000_000;

  /** Groups of a queue that one call looks at to see whether they may be forgotten. */
  private static final int MOST_GROUPS_LOOKED_AT = 10_000;

  /** When a job that cannot be read is handed out again, maybe to who can read it. */
  private static final Duration UNREADABLE_DELAY = Duration.ofMinutes(1);

  private static final Comparator<StoredJob> PRIORITY =
      Comparator.comparingDouble(each -> each.job().options().effectivePriority());
  private static final Comparator<StoredJob> FIRST_FIRST =
      PRIORITY.thenComparing(StoredJob::position);
  private static final Comparator<StoredJob> LAST_FIRST =
      PRIORITY.thenComparing(StoredJob::position, Comparator.reverseOrder());

  /** What every statement that hands out jobs is given. */
  static final Parameters<Fetch> OF_FETCH = new Parameters<Fetch>()
      .value("queue", fetch -> fetch.command().queueName())
      .time("now", fetch -> fetch.command().now())
      .time("until", fetch -> fetch.command().now().plus(fetch.command().lockDuration()))
      .value("worker", fetch -> fetch.command().workerId())
      .value("token", Fetch::token)
      .value("limit", fetch -> (long) fetch.command().limit())
      .value("name", fetch -> fetch.command().options().jobName());

  private static final Parameters<Fetch> OF_LIMITED = OF_FETCH
      .value("most_active", fetch -> longOrNull(fetch.command().options().globalConcurrency()))
      .value("most_in_window", fetch -> ofRate(fetch, rate -> (long) rate.max()))
      .time(
          "window_start",
          fetch -> ofRate(fetch, rate -> fetch.command().now().minus(rate.duration())))
      .value(
          "window_millis",
          fetch ->
              ofRate(fetch, rate -> rate.duration().plus(RateLimit.MOST_LATE).toMillis()));
  private static final Parameters<Fetch> OF_GROUPED = OF_LIMITED
      .value("spare_groups", Fetch::spareGroups)
      .value("group_concurrency", fetch -> longOrNull(fetch.command().options().groupConcurrency()))
      .texts("excluded_groups", fetch -> fetch.command().options().excludeGroups());
  private static final SqlStatement<Locking> LOCK_QUEUE = SqlStatement.of(
      "lock_queue",
      new Parameters<Locking>()
          .value("lock", Locking::lock)
          .value("longest_wait", locking -> LONGEST_WAIT)
          .value("token", Locking::token));
  private static final SqlStatement<Marks> TAKE_MARKS = SqlStatement.of(
      "take_marks",
      new Parameters<Marks>()
          .value("queue", Marks::queue)
          .value("token", Marks::token)
          .value("from", Marks::from)
          .value("limit", Marks::most));
  private static final SqlStatement<Fetch> FREE =
      SqlStatement.of("fetch", OF_FETCH).variant("most", ":limit");
  private static final SqlStatement<Fetch> FETCH = FREE.variant("choose", "{choose_first}");
  private static final SqlStatement<Fetch> FETCH_LAST = FREE.variant("choose", "{choose_last}");
  private static final SqlStatement<Fetch> LIMITED =
      SqlStatement.of("fetch_limited", OF_LIMITED).variant("most", "(SELECT r.most FROM room r)");
  private static final SqlStatement<Fetch> FETCH_LIMITED =
      LIMITED.variant("choose", "{choose_first}");
  private static final SqlStatement<Fetch> FETCH_LIMITED_LAST =
      LIMITED.variant("choose", "{choose_last}");
  private static final SqlStatement<Fetch> FETCH_IN_TURN = SqlStatement.of(
          "fetch_in_turn", OF_GROUPED)
      .variant("direction", "")
      .variant("walked", "walk");
  private static final SqlStatement<Fetch> FETCH_IN_TURN_LAST = SqlStatement.of(
          "fetch_in_turn_last", OF_GROUPED)
      .variant("direction", "DESC")
      .variant("walked", "turns");

  private static final SqlStatement<GivenBack> GIVE_BACK = SqlStatement.of(
      "give_back",
      new Parameters<GivenBack>()
          .rows(GivenBack::locks, JobStatements.LOCKS)
          .time("until", GivenBack::until));

  private static final SqlStatement<Idle> REMOVE_GROUPS = SqlStatement.of(
      "remove_groups",
      new Parameters<Idle>()
          .value("queue", Idle::queue)
          .value("turns", Idle::turns)
          .value("from", Idle::from)
          .value("limit", part -> (long) BulkChanges.PART));

  private static final SqlStatement<String> HAS_GROUPS =
      SqlStatement.of("has_groups", JobStatements.OF_QUEUE);

  public static final List<SqlStatement<?>> STATEMENTS = List.of(
      LOCK_QUEUE,
      HAS_GROUPS,
      REMOVE_GROUPS,
      GIVE_BACK,
      TAKE_MARKS,
      FETCH,
      FETCH_LAST,
      FETCH_LIMITED,
      FETCH_LIMITED_LAST,
      FETCH_IN_TURN,
      FETCH_IN_TURN_LAST);

  private static final Logger LOG = LoggerFactory.getLogger(JobFetches.class);

  private final JobSession session;
  private final PooledTransactions transactions;
  private final MarkWalks marks;
  private final Map<String, String> lookedAt = new ConcurrentHashMap<>(); // the last group by queue

  public JobFetches(JobSession session, PooledTransactions transactions, Timers timers) {
    this.session = session;
    this.transactions = transactions;
    this.marks = new MarkWalks(timers);
  }

  public Future<List<JobData>> fetch(FetchJobs command) {
    return fetch(command, SPARE_GROUPS);
  }

  private Future<List<JobData>> fetch(FetchJobs command, long spareGroups) {
    return transactions
        .statement("fetchNextJobs", () -> {
          List<SentStatement> sent = statements(command, spareGroups);
          return sent.size() == 1
              ? sent.get(0).send(session.client()).map(List::of)
              : transactions.pipelined(sent);
        })
        .compose(all -> jobs(command, all).compose(some -> {
          if (!mayBeMore(command, all)) {
            return Future.succeededFuture(some);
          }
          long more = Math.min(MOST_SPARE_GROUPS, spareGroups * SPARE_GROWTH);
          return fetch(command.upTo(command.limit() - some.size()), more)
              .map(others -> Stream.concat(some.stream(), others.stream()).toList())
              .recover(failure -> some.isEmpty()
                  ? Future.failedFuture(failure)
                  : Future.succeededFuture(some)); // they are handed out
        }));
  }

  /** Whether a fetch of groups in turn has not yet looked at all it needs, and is to be made again. */
  static boolean mayBeMore(FetchJobs command, List<RowSet<Row>> all) {
    if (!command.options().isGrouped()) {
      return false;
    }
    RowSet<Row> fetched = all.get(all.size() - 1);
    if (jobsOf(fetched).size() < fetched.size()) {
      return true;
    }
    return isInTurn(command) && areMarksLeft(all) && fetched.size() < command.limit();
  }

  private static boolean areMarksLeft(List<RowSet<Row>> all) {
    Row taken = all.get(1).iterator().next();
    return taken.getLong(0) >= MOST_MARKS || taken.getLong(2) > MarkWalks.BEGINNING;
  }

  /** Without the row that asks for another fetch. */
  private static List<Row> jobsOf(RowSet<Row> fetched) {
    List<Row> jobs = new ArrayList<>();
    fetched.forEach(row -> {
      if (row.getLong(0) != null) {
        jobs.add(row);
      }
    });
    return jobs;
  }

  private static boolean isInTurn(FetchJobs command) {
    return command.options().isGrouped() && !command.options().lifo();
  }

  /** Takes in all marks that are left at groups, also where nobody fetches groups in turn. */
  public Future<Void> takeMarks(String queue) {
    return BulkChanges.byParts(
            Integer.MAX_VALUE,
            size -> transactions.statement("removeExpiredJobs", () -> {
              String token = session.ids().token();
              return transactions
                  .pipelined(List.of(
                      locking(queue, token), taking(queue, token, MarkWalks.BEGINNING, size)))
                  .map(all -> Math.toIntExact(all.get(1).iterator().next().getLong(0)));
            }))
        .mapEmpty();
  }

  /**
   * Forgets groups that have had no waiting job for long, as far as one call goes: the next one goes on behind it.
   * Keeps nobody from fetching where the queue has no groups.
   */
  public Future<Void> forgetGroups(String queue) {
    return transactions
        .statement("removeExpiredJobs", () -> session.execute(HAS_GROUPS, queue))
        .compose(rows -> {
          if (rows.iterator().next().getBoolean(0)) {
            return forgetSome(queue);
          }
          forgetWalk(queue);
          return Future.succeededFuture();
        });
  }

  private Future<Void> forgetSome(String queue) {
    return removeGroups(
            transactions,
            "removeExpiredJobs",
            queue,
            JobStore.TURNS_REMEMBERED,
            MOST_GROUPS_LOOKED_AT,
            lookedAt.get(queue))
        .map(last -> {
          lookedAt.compute(queue, (key, before) -> last);
          return null;
        });
  }

  /** Forgets how far it got in the groups of a queue, which is gone. */
  public void forgetWalk(String queue) {
    lookedAt.remove(queue);
  }

  /**
   * Forgets groups that have no waiting job, some time after they were served, a bounded number under each lock: one
   * that gets jobs again counts as never served. Jobs that are added meanwhile leave marks, which stay.
   *
   * @param turns how many turns of groups and additions of jobs there were since
   * @param most how many groups are looked at, at least
   * @param behind the group that was looked at last, or null for the beginning
   * @return the group that was looked at last, or null where that was all
   */
  public static Future<@Nullable String> removeGroups(
      JobTransactions transactions,
      String operation,
      String queue,
      long turns,
      int most,
      @Nullable String behind) {
    return BulkChanges.walk(
        behind,
        most,
        from -> transactions.run(operation, tx -> lock(tx, queue)
            .compose(locked -> tx.execute(REMOVE_GROUPS, new Idle(queue, turns, from)))
            .map(BulkChanges::walked)));
  }

  private SentStatement locking(String queue, String token) {
    long lock = AdvisoryKey.of(session.scope(), "fetch", queue);
    return session.sent(LOCK_QUEUE, new Locking(lock, token));
  }

  private SentStatement taking(String queue, String token, long from, long most) {
    return session.sent(TAKE_MARKS, new Marks(queue, token, from, most));
  }

  /** Keeps others from fetching within limits of the queue for the rest of the transaction. */
  public static Future<Void> lock(JobSession tx, String queue) {
    long lock = AdvisoryKey.of(tx.scope(), "fetch", queue);
    return tx.execute(LOCK_QUEUE, new Locking(lock, tx.ids().token())).mapEmpty();
  }

  /**
   * In the order of the hand-out: groups in turn as the statement says, all others best first. Remembers how far the
   * marks were walked.
   */
  Future<List<JobData>> jobs(FetchJobs command, List<RowSet<Row>> all) {
    RowSet<Row> rows = all.get(all.size() - 1);
    if (!command.options().isGrouped()) {
      return ordered(command, rows);
    }
    List<Row> fetched = jobsOf(rows);
    if (isInTurn(command)) {
      long last = all.get(1).iterator().next().getLong(1);
      marks.move(command.queueName(), last, fetched.size() == command.limit());
    }
    return readable(command, fetched, jobs -> jobs);
  }

  /** The jobs of these rows, best first. */
  Future<List<JobData>> ordered(FetchJobs command, Iterable<Row> rows) {
    return readable(
        command, rows, jobs -> jobs.sorted(command.options().lifo() ? LAST_FIRST : FIRST_FIRST));
  }

  /**
   * Those that can be read. The others are put off: left locked, their losses would be counted, and waiting they would
   * be handed out again at once.
   */
  private Future<List<JobData>> readable(
      FetchJobs command, Iterable<Row> rows, UnaryOperator<Stream<StoredJob>> order) {
    JobRows.Read read = session.rows().read(rows);
    List<JobData> jobs = order.apply(read.jobs().stream()).map(StoredJob::job).toList();
    return giveBack(read.others(), command.now().plus(UNREADABLE_DELAY)).map(jobs);
  }

  /** Lets jobs wait again that nobody will ever begin; never fails. */
  public Future<Void> handBack(List<JobData> fetched) {
    return giveBack(fetched.stream().map(JobData::lock).toList(), null);
  }

  private Future<Void> giveBack(List<JobLock> locks, @Nullable Instant until) {
    return locks.isEmpty()
        ? Future.succeededFuture()
        : transactions
            .statement(
                "fetchNextJobs", () -> session.execute(GIVE_BACK, new GivenBack(locks, until)))
            .<Void>mapEmpty()
            .otherwise(failure -> {
              LOG.warn("{} jobs that nobody has begun stay locked", locks.size(), failure);
              return null;
            });
  }

  /** Whether one statement does it. */
  static boolean isFree(FetchJobs command) {
    FetchOptions options = command.options();
    return !options.isGrouped()
        && options.rateLimit() == null
        && options.globalConcurrency() == null;
  }

  /** The fetch is the last of them; one with limits needs the lock before it, in one transaction. */
  public List<SentStatement> statements(FetchJobs command) {
    return statements(command, SPARE_GROUPS);
  }

  private List<SentStatement> statements(FetchJobs command, long spareGroups) {
    boolean lifo = command.options().lifo();
    String queue = command.queueName();
    String token = session.ids().token();
    Fetch fetch = new Fetch(command, token, spareGroups);
    if (isFree(command)) {
      return List.of(session.sent(lifo ? FETCH_LAST : FETCH, fetch));
    }
    if (!command.options().isGrouped()) {
      return List.of(
          locking(queue, token), session.sent(lifo ? FETCH_LIMITED_LAST : FETCH_LIMITED, fetch));
    }
    return lifo
        ? List.of(locking(queue, token), session.sent(FETCH_IN_TURN_LAST, fetch))
        : List.of(
            locking(queue, token),
            taking(queue, token, marks.next(queue), MOST_MARKS),
            session.sent(FETCH_IN_TURN, fetch));
  }

  private static <T> @Nullable T ofRate(Fetch fetch, Function<RateLimit, T> part) {
    RateLimit rate = fetch.command().options().rateLimit();
    return rate == null ? null : part.apply(rate);
  }

  private static @Nullable Long longOrNull(@Nullable Integer number) {
    return number == null ? null : number.longValue();
  }

  /**
   * A fetch.
   *
   * @param token begins the tokens of the hand-outs
   * @param spareGroups groups in turn that are looked at beyond those it needs
   */
  record Fetch(FetchJobs command, String token, long spareGroups) {
    static Fetch of(FetchJobs command, String token) {
      return new Fetch(command, token, SPARE_GROUPS);
    }
  }

  private record GivenBack(List<JobLock> locks, @Nullable Instant until) {}

  private record Idle(String queue, long turns, @Nullable String from) {}

  private record Locking(long lock, String token) {}

  private record Marks(String queue, String token, long from, long most) {}
}
