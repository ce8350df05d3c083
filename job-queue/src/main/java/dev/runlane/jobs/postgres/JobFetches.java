package dev.runlane.jobs.postgres;

import dev.runlane.jobs.FetchJobs;
import dev.runlane.jobs.FetchOptions;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.RateLimit;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Hands out jobs. Without a limit that spans rows that is one statement, which waits for nobody. With one, fetches
 * of a queue come one after the other: what they count is true as long as they hold the queue's lock, because only a
 * fetch raises it. Lock and fetch are two statements, since what a statement sees is no younger than its beginning,
 * but are sent together.
 *
 * <p>Groups in turn: {@code job_groups} has a row for each group that may have jobs, in the order of their turns, and
 * is written under the queue's lock alone. Whoever lets a job of a group wait leaves a mark, which the next fetch takes
 * in; so a group is never forgotten, however fetches and additions meet, and nobody who adds jobs waits for another.
 */
final class JobFetches {
  private static final String LONGEST_WAIT = RateLimit.MOST_LATE.toMillis() + "ms";

  /** Marks of groups that one fetch takes in. */
  private static final long MOST_MARKS = 10_000;

  /** Groups that a fetch looks at beyond those it needs, as some may have no job; more when it is made again. */
  private static final long SPARE_GROUPS = 32;

  private static final long SPARE_GROWTH = 8;
  private static final long MOST_SPARE_GROUPS = 1_000_000;

  private static final Comparator<StoredJob> PRIORITY =
      Comparator.comparingDouble(each -> each.job().options().effectivePriority());
  private static final Comparator<StoredJob> FIRST_FIRST = PRIORITY.thenComparing(StoredJob::place);
  private static final Comparator<StoredJob> LAST_FIRST =
      PRIORITY.thenComparing(StoredJob::place, Comparator.reverseOrder());

  private final JobSession session;
  private final PooledTransactions transactions;
  private final String lockQueue;
  private final String fetch;
  private final String fetchLast;
  private final String fetchLimited;
  private final String fetchLimitedLast;
  private final String takeMarks;
  private final String fetchInTurn;
  private final String fetchInTurnLast;

  JobFetches(JobSession session, PooledTransactions transactions) {
    this.session = session;
    this.transactions = transactions;
    JobStatements statements = session.statements();
    lockQueue = statements.get("lock_queue");
    fetch = statements.fill("fetch", parts(statements, "choose", 2, "$6"));
    fetchLast = statements.fill("fetch", parts(statements, "choose_last", 2, "$6"));
    fetchLimited = limited(statements, "choose");
    fetchLimitedLast = limited(statements, "choose_last");
    takeMarks = statements.get("take_marks");
    fetchInTurn = inTurn(statements, "fetch_in_turn", "");
    fetchInTurnLast = inTurn(statements, "fetch_in_turn_last", "DESC");
  }

  /** The parts of a statement that hands out jobs, whose parameters begin with this number. */
  static Map<String, String> parts(JobStatements statements, int first) {
    return parts(statements, "choose", first, "$" + (first + 4));
  }

  private static Map<String, String> parts(
      JobStatements statements, String choose, int first, String most) {
    Map<String, String> parameters = Map.of(
        "now", "$" + first,
        "until", "$" + (first + 1),
        "worker", "$" + (first + 2),
        "token", "$" + (first + 3),
        "most", most,
        "name", "$" + (first + 5));
    return Map.of(
        "choose", statements.fill(choose, parameters),
        "hand_out", statements.fill("hand_out", parameters));
  }

  private static String limited(JobStatements statements, String choose) {
    Map<String, String> parts =
        new HashMap<>(parts(statements, choose, 2, "(SELECT r.most FROM room r)"));
    parts.put("room", statements.get("room"));
    parts.put("rate", statements.get("rate"));
    return statements.fill("fetch_limited", parts);
  }

  private static String inTurn(JobStatements statements, String name, String direction) {
    Map<String, String> parts = new HashMap<>();
    parts.put("heeded", statements.get("heeded"));
    parts.put("direction", direction);
    parts.put("room", statements.get("room"));
    parts.put("rate", statements.get("rate"));
    parts.put("groups", statements.fill("groups_last", parts));
    parts.put("ungrouped", statements.fill("ungrouped", parts));
    parts.put("in_turn", statements.fill("in_turn", parts));
    return statements.fill(name, parts);
  }

  Future<List<JobData>> fetch(FetchJobs command) {
    return fetch(command, SPARE_GROUPS);
  }

  private Future<List<JobData>> fetch(FetchJobs command, long spareGroups) {
    return transactions
        .statement("fetchNextJobs", () -> {
          List<SentStatement> sent = statements(command, spareGroups);
          return sent.size() == 1
              ? session.send(sent.get(0).sql(), sent.get(0).parameters()).map(List::of)
              : transactions.pipelined(sent);
        })
        .compose(all -> {
          List<JobData> some = jobs(command, all);
          if (!mayBeMore(command, all)) {
            return Future.succeededFuture(some);
          }
          long more = Math.min(MOST_SPARE_GROUPS, spareGroups * SPARE_GROWTH);
          return fetch(command.upTo(command.limit() - some.size()), more)
              .map(others -> Stream.concat(some.stream(), others.stream()).toList())
              .recover(failure -> some.isEmpty()
                  ? Future.failedFuture(failure)
                  : Future.succeededFuture(some)); // they are handed out
        });
  }

  /** Whether a fetch of groups in turn has not yet looked at all it needs, and is to be made again. */
  static boolean mayBeMore(FetchJobs command, List<RowSet<Row>> all) {
    if (!isInTurn(command)) {
      return false;
    }
    RowSet<Row> fetched = all.get(all.size() - 1);
    boolean marksLeft = all.get(1).iterator().next().getLong(0) >= MOST_MARKS;
    return asksForAnother(fetched) || (marksLeft && fetched.size() < command.limit());
  }

  private static boolean asksForAnother(RowSet<Row> fetched) {
    return fetched.size() == 1 && fetched.iterator().next().getLong(0) == null;
  }

  private static boolean isInTurn(FetchJobs command) {
    return command.options().isGrouped() && !command.options().lifo();
  }

  /** Takes in all marks that are left at groups, also where nobody fetches groups in turn. */
  Future<Void> takeMarks(String queue) {
    return BulkChanges.byParts(
            Integer.MAX_VALUE,
            size -> transactions.statement("removeExpiredJobs", () -> {
              String token = session.ids().token();
              return transactions
                  .pipelined(List.of(locking(queue, token), taking(queue, token, size)))
                  .map(all -> Math.toIntExact(all.get(1).iterator().next().getLong(0)));
            }))
        .mapEmpty();
  }

  private SentStatement locking(String queue, String token) {
    long lock = AdvisoryKey.of(session.scope(), "fetch", queue);
    return new SentStatement(lockQueue, Tuple.of(lock, LONGEST_WAIT, token));
  }

  private SentStatement taking(String queue, String token, long most) {
    return new SentStatement(takeMarks, Tuple.of(queue, token, most));
  }

  /** Keeps others from fetching within limits of the queue for the rest of the transaction. */
  static Future<Void> lock(JobSession tx, String queue) {
    long lock = AdvisoryKey.of(tx.scope(), "fetch", queue);
    return tx.execute("lock_queue", Tuple.of(lock, LONGEST_WAIT, tx.ids().token()))
        .mapEmpty();
  }

  /** In the order of the hand-out: groups in turn as the statement says, all others best first. */
  List<JobData> jobs(FetchJobs command, List<RowSet<Row>> all) {
    RowSet<Row> rows = all.get(all.size() - 1);
    if (!command.options().isGrouped()) {
      return ordered(command, session.rows().stored(rows));
    }
    return asksForAnother(rows) ? List.of() : session.rows().jobs(rows);
  }

  static List<JobData> ordered(FetchJobs command, List<StoredJob> jobs) {
    return jobs.stream()
        .sorted(command.options().lifo() ? LAST_FIRST : FIRST_FIRST)
        .map(StoredJob::job)
        .toList();
  }

  /** Whether one statement does it. */
  static boolean isFree(FetchJobs command) {
    FetchOptions options = command.options();
    return !options.isGrouped()
        && options.rateLimit() == null
        && options.globalConcurrency() == null;
  }

  /** The fetch is the last of them; one with limits needs the lock before it, in one transaction. */
  List<SentStatement> statements(FetchJobs command) {
    return statements(command, SPARE_GROUPS);
  }

  private List<SentStatement> statements(FetchJobs command, long spareGroups) {
    boolean lifo = command.options().lifo();
    String queue = command.queueName();
    String token = session.ids().token();
    Tuple parameters = addParameters(Tuple.of(queue), command, token);
    if (isFree(command)) {
      return List.of(new SentStatement(lifo ? fetchLast : fetch, parameters));
    }
    addLimits(parameters, command);
    if (!command.options().isGrouped()) {
      return List.of(
          locking(queue, token),
          new SentStatement(lifo ? fetchLimitedLast : fetchLimited, parameters));
    }
    parameters
        .addLong(longOrNull(command.options().groupConcurrency()))
        .addArrayOfString(command.options().excludeGroups().toArray(String[]::new));
    return lifo
        ? List.of(locking(queue, token), new SentStatement(fetchInTurnLast, parameters))
        : List.of(
            locking(queue, token),
            taking(queue, token, MOST_MARKS),
            new SentStatement(fetchInTurn, parameters.addLong(spareGroups)));
  }

  /** What the part that hands out jobs needs. */
  static Tuple addParameters(Tuple parameters, FetchJobs command, String token) {
    return parameters
        .addOffsetDateTime(ArrayTuple.utc(command.now()))
        .addOffsetDateTime(ArrayTuple.utc(command.now().plus(command.lockDuration())))
        .addString(command.workerId())
        .addString(token)
        .addLong((long) command.limit())
        .addString(command.options().jobName());
  }

  private static void addLimits(Tuple parameters, FetchJobs command) {
    RateLimit rate = command.options().rateLimit();
    parameters
        .addLong(longOrNull(command.options().globalConcurrency()))
        .addLong(rate == null ? null : (long) rate.max())
        .addOffsetDateTime(
            rate == null ? null : ArrayTuple.utc(command.now().minus(rate.duration())))
        .addLong(rate == null ? null : rate.duration().plus(RateLimit.MOST_LATE).toMillis());
  }

  private static @Nullable Long longOrNull(@Nullable Integer number) {
    return number == null ? null : number.longValue();
  }
}
