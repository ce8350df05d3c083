package dev.runlane.jobs.postgres;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobState;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Changes of all jobs of a queue that are alike, in parts: each is a transaction of its own, so that no statement
 * grows with the number of jobs, and what was done stays done when a later part fails.
 */
final class BulkChanges {
  /** Jobs of one part. */
  static final int PART = 1_000;

  private final JobTransactions transactions;

  BulkChanges(JobTransactions transactions) {
    this.transactions = transactions;
  }

  /** Lets all delayed jobs wait. */
  Future<Integer> promoteAll(String queue) {
    return walked(
        "promoteJobs", "promote_part", Map.of(), "delay_until", (bound, size) -> Tuple.tuple()
            .addString(queue)
            .addOffsetDateTime(bound)
            .addLong(size));
  }

  /** Puts all jobs of a terminal state back. */
  Future<Integer> retry(String queue, JobState state) {
    Map<String, String> ends = JobEnds.of(state);
    return walked(
        "retryJobs", "retry_part", ends, JobEnds.column(state), (bound, size) -> Tuple.tuple()
            .addString(queue)
            .addOffsetDateTime(bound)
            .addLong(size)
            .addInteger(JobData.MOST_ATTEMPTS_KEPT));
  }

  /** Those without a time first, then the others from the last on. */
  private Future<Integer> walked(
      String operation,
      String statement,
      Map<String, String> variant,
      String column,
      Parameters parameters) {
    return byParts(from -> part(
            operation,
            statement,
            bounded(variant, "without_a_time", column),
            parameters.of(null, PART)))
        .compose(undated -> byParts(from -> part(
                operation,
                statement,
                bounded(variant, "from_the_last", column),
                parameters.of(from, PART)))
            .map(dated -> undated + dated));
  }

  private static Function<JobSession, Map<String, String>> bounded(
      Map<String, String> variant, String bound, String column) {
    return tx -> {
      Map<String, String> all = new HashMap<>(variant);
      all.put("bound", tx.statements().fill(bound, Map.of("column", column)));
      return all;
    };
  }

  /** Removes jobs that ended before {@code now} and the grace. */
  Future<Integer> clean(String queue, JobState state, Duration grace, Instant now) {
    return byParts(from -> part(
        "clean",
        "clean_part",
        tx -> JobEnds.of(state),
        Tuple.tuple()
            .addString(queue)
            .addOffsetDateTime(ArrayTuple.utc(now.minus(grace)))
            .addOffsetDateTime(from)
            .addLong((long) PART)));
  }

  /** Removes at most so many jobs whose age has made them due. */
  Future<Integer> removeExpired(String queue, Instant now, int limit) {
    return byParts(
        limit,
        size -> transactions.run("removeExpiredJobs", tx -> tx.execute(
                "remove_expired", Tuple.of(queue, ArrayTuple.utc(now), (long) size))
            .map(rows -> rows.rowCount())));
  }

  private Future<Part> part(
      String operation,
      String statement,
      Function<JobSession, Map<String, String>> variant,
      Tuple parameters) {
    return transactions.run(operation, tx -> tx.execute(statement, variant.apply(tx), parameters)
        .map(BulkChanges::part));
  }

  private static Part part(RowSet<Row> rows) {
    Row row = rows.iterator().next();
    return new Part(Math.toIntExact(row.getLong(0)), row.getOffsetDateTime(1));
  }

  /** Parts until one is not full, each from where the last one ended. */
  static Future<Integer> byParts(Function<@Nullable OffsetDateTime, Future<Part>> next) {
    Promise<Integer> done = Promise.promise();
    byParts(next, null, 0, done);
    return done.future();
  }

  /** Not one future in the other, which would be as deep as there are parts. */
  private static void byParts(
      Function<@Nullable OffsetDateTime, Future<Part>> next,
      @Nullable OffsetDateTime from,
      int before,
      Promise<Integer> done) {
    next.apply(from).onComplete((part, failure) -> {
      if (failure != null) {
        done.fail(failure);
      } else if (part.count() < PART) {
        done.complete(before + part.count());
      } else {
        byParts(next, part.end(), before + part.count(), done);
      }
    });
  }

  /** Parts of at most {@link #PART} until one is not full or so many are done. */
  static Future<Integer> byParts(int limit, Function<Integer, Future<Integer>> next) {
    Promise<Integer> done = Promise.promise();
    byParts(limit, next, 0, done);
    return done.future();
  }

  private static void byParts(
      int limit, Function<Integer, Future<Integer>> next, int before, Promise<Integer> done) {
    int size = Math.min(PART, limit - before);
    next.apply(size).onComplete((count, failure) -> {
      if (failure != null) {
        done.fail(failure);
      } else if (count < size || before + count >= limit) {
        done.complete(before + count);
      } else {
        byParts(limit, next, before + count, done);
      }
    });
  }

  /** Parts until one has done nothing; all that did something. */
  static <P extends Some> Future<List<P>> untilNone(Supplier<Future<P>> next) {
    Promise<List<P>> done = Promise.promise();
    untilNone(next, new ArrayList<>(), done);
    return done.future();
  }

  private static <P extends Some> void untilNone(
      Supplier<Future<P>> next, List<P> before, Promise<List<P>> done) {
    next.get().onComplete((part, failure) -> {
      if (failure != null) {
        done.fail(failure);
      } else if (part.isNone()) {
        done.complete(before);
      } else {
        before.add(part);
        untilNone(next, before, done);
      }
    });
  }

  /** What a part did that may have done nothing. */
  interface Some {
    boolean isNone();
  }

  /** The parameters of a part that begins at a time, or at the very beginning where that is null. */
  private interface Parameters {
    Tuple of(@Nullable OffsetDateTime from, long size);
  }

  /**
   * What a part did.
   *
   * @param count how many jobs it changed
   * @param end where the next begins, or null where there was none
   */
  record Part(int count, @Nullable OffsetDateTime end) {}
}
