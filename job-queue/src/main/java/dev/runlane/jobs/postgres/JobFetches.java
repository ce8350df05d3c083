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
import org.jspecify.annotations.Nullable;

/**
 * Hands out jobs. Without a limit that spans rows that is one statement, which waits for nobody. With one, fetches
 * of a queue come one after the other: what they count is true as long as they hold the queue's lock, because only a
 * fetch raises it. Lock and fetch are two statements, since what a statement sees is no younger than its beginning,
 * but are sent together.
 */
final class JobFetches {
  private static final String LONGEST_WAIT = RateLimit.MOST_LATE.toMillis() + "ms";
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
  private final String fetchGrouped;
  private final String fetchGroupedLast;

  JobFetches(JobSession session, PooledTransactions transactions) {
    this.session = session;
    this.transactions = transactions;
    JobStatements statements = session.statements();
    lockQueue = statements.get("lock_queue");
    fetch = statements.fill("fetch", parts(statements, "choose", 2, "$6"));
    fetchLast = statements.fill("fetch", parts(statements, "choose_last", 2, "$6"));
    fetchLimited = limited(statements, "choose");
    fetchLimitedLast = limited(statements, "choose_last");
    fetchGrouped = grouped(statements, "groups_first", "");
    fetchGroupedLast = grouped(statements, "groups_last", "DESC");
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

  private static String grouped(JobStatements statements, String groups, String direction) {
    Map<String, String> heeded = Map.of("heeded", statements.get("heeded"));
    return statements.fill(
        "fetch_grouped",
        Map.of(
            "room", statements.get("room"),
            "groups", statements.fill(groups, heeded),
            "rate", statements.get("rate"),
            "heeded", statements.get("heeded"),
            "direction", direction));
  }

  Future<List<JobData>> fetch(FetchJobs command) {
    return transactions
        .statement("fetchNextJobs", () -> {
          List<SentStatement> sent = statements(command);
          return sent.size() == 1
              ? session.send(sent.get(0).sql(), sent.get(0).parameters())
              : transactions.pipelined(sent).map(rows -> rows.get(rows.size() - 1));
        })
        .map(rows -> jobs(command, rows));
  }

  /** In the order of the hand-out: groups in turn as the statement says, all others best first. */
  List<JobData> jobs(FetchJobs command, RowSet<Row> rows) {
    return command.options().isGrouped()
        ? session.rows().jobs(rows)
        : ordered(command, session.rows().stored(rows));
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
    boolean lifo = command.options().lifo();
    String token = session.ids().token();
    Tuple parameters = addParameters(Tuple.of(command.queueName()), command, token);
    if (isFree(command)) {
      return List.of(new SentStatement(lifo ? fetchLast : fetch, parameters));
    }
    addLimits(parameters, command);
    long lock = AdvisoryKey.of(session.scope(), "fetch", command.queueName());
    SentStatement locking = new SentStatement(lockQueue, Tuple.of(lock, LONGEST_WAIT, token));
    if (!command.options().isGrouped()) {
      return List.of(
          locking, new SentStatement(lifo ? fetchLimitedLast : fetchLimited, parameters));
    }
    parameters
        .addLong(longOrNull(command.options().groupConcurrency()))
        .addArrayOfString(command.options().excludeGroups().toArray(String[]::new));
    return List.of(locking, new SentStatement(lifo ? fetchGroupedLast : fetchGrouped, parameters));
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
