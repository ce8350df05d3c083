package dev.runlane.jobs.postgres;

import dev.runlane.jobs.FetchJobs;
import dev.runlane.jobs.FetchOptions;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.RateLimit;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Hands out jobs. Without a limit that spans rows that is one statement, which waits for nobody. With one, fetches
 * of a queue come one after the other: what they count is true as long as they hold the queue's lock, because only a
 * fetch raises it.
 */
final class JobFetches {
  private static final String LONGEST_WAIT = RateLimit.MOST_LATE.toMillis() + "ms";

  private final JobSession session;
  private final PooledTransactions transactions;

  JobFetches(JobSession session, PooledTransactions transactions) {
    this.session = session;
    this.transactions = transactions;
  }

  Future<List<JobData>> fetch(FetchJobs command) {
    FetchOptions options = command.options();
    boolean free =
        !options.isGrouped() && options.rateLimit() == null && options.globalConcurrency() == null;
    return free
        ? transactions.statement("fetchNextJobs", () -> take(session, command, command.limit()))
        : transactions.run("fetchNextJobs", tx -> underLock(tx, command));
  }

  private Future<List<JobData>> underLock(JobSession tx, FetchJobs command) {
    long lock = AdvisoryKey.of(tx.scope(), "fetch", command.queueName());
    return tx.execute("lock_queue", Tuple.of(lock, LONGEST_WAIT))
        .compose(locked -> room(tx, command))
        .compose(room -> {
          if (room < 1) {
            return Future.succeededFuture(List.of());
          }
          Future<List<JobData>> taken = command.options().isGrouped()
              ? takeInTurn(tx, command, room)
              : take(tx, command, room);
          return taken.compose(jobs -> count(tx, command, jobs));
        });
  }

  private Future<Integer> room(JobSession tx, FetchJobs command) {
    Integer global = command.options().globalConcurrency();
    RateLimit rate = command.options().rateLimit();
    if (global == null && rate == null) {
      return Future.succeededFuture(command.limit());
    }
    Tuple parameters = Tuple.tuple()
        .addString(command.queueName())
        .addLong(longOrNull(global))
        .addLong(rate == null ? null : (long) rate.max())
        .addOffsetDateTime(
            rate == null ? null : ArrayTuple.utc(command.now().minus(rate.duration())));
    return tx.execute("room", parameters)
        .map(rows -> (int) Math.min(command.limit(), rows.iterator().next().getLong(0)));
  }

  private Future<List<JobData>> count(JobSession tx, FetchJobs command, List<JobData> jobs) {
    RateLimit rate = command.options().rateLimit();
    if (rate == null || jobs.isEmpty()) {
      return Future.succeededFuture(jobs);
    }
    Tuple parameters = Tuple.of(
        command.queueName(),
        ArrayTuple.utc(command.now()),
        rate.duration().plus(RateLimit.MOST_LATE).toMillis(),
        jobs.size());
    return tx.execute("count_rate", parameters).map(jobs);
  }

  private Future<List<JobData>> take(JobSession on, FetchJobs command, int limit) {
    String statement = command.options().lifo() ? "fetch_last" : "fetch";
    return on.execute(statement, parameters(on, command, limit)).map(on.rows()::jobs);
  }

  private Future<List<JobData>> takeInTurn(JobSession on, FetchJobs command, int limit) {
    FetchOptions options = command.options();
    Tuple parameters = parameters(on, command, limit)
        .addLong(longOrNull(options.groupConcurrency()))
        .addArrayOfString(options.excludeGroups().toArray(String[]::new));
    Map<String, String> order = Map.of("direction", options.lifo() ? "DESC" : "");
    return on.execute("fetch_grouped", order, parameters).map(on.rows()::jobs);
  }

  private static Tuple parameters(JobSession on, FetchJobs command, int limit) {
    return Tuple.tuple()
        .addString(command.queueName())
        .addOffsetDateTime(ArrayTuple.utc(command.now()))
        .addOffsetDateTime(ArrayTuple.utc(command.now().plus(command.lockDuration())))
        .addString(command.workerId())
        .addString(on.ids().token())
        .addLong((long) limit)
        .addString(command.options().jobName());
  }

  private static @Nullable Long longOrNull(@Nullable Integer number) {
    return number == null ? null : number.longValue();
  }
}
