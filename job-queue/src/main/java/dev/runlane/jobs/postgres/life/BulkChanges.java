package dev.runlane.jobs.postgres.life;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.postgres.row.JobStatements;
import dev.runlane.jobs.postgres.row.JobTransactions;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Changes of all jobs of a queue that are alike, in parts: each is a transaction of its own, so that no statement
 * grows with the number of jobs, and what was done stays done when a later part fails.
 */
public final class BulkChanges {
  /** Jobs of one part. */
  public static final int PART = 1_000;

  /** Lines of log of the jobs that one part removes: it stops behind the job that reaches so many. */
  public static final long MOST_LINES = 20_000;

  private static final SqlStatement<Dated> PROMOTE =
      SqlStatement.of("promote_part", Dated.PARAMETERS);
  private static final SqlStatement<Dated> RETRY = SqlStatement.of(
      "retry_part", Dated.PARAMETERS.value("most_records", part -> JobData.MOST_ATTEMPTS_KEPT));
  private static final SqlStatement<Cleaned> CLEAN = SqlStatement.of(
      "clean_part",
      new Parameters<Cleaned>()
          .value("queue", Cleaned::queue)
          .time("before", Cleaned::before)
          .value("from", Cleaned::from)
          .value("limit", part -> (long) PART)
          .value("most_lines", part -> MOST_LINES));
  private static final Walk PROMOTING = Walk.of(PROMOTE, "delay_until");
  private static final Map<JobState, Walk> RETRYING =
      ofEnds(state -> Walk.of(JobEnds.of(RETRY, state), JobEnds.column(state)));
  private static final Parameters<Failed> OF_FAILED = new Parameters<Failed>()
      .value("queue", Failed::queue)
      .value("name", failed -> failed.filter().name())
      .value("group", failed -> failed.filter().groupId())
      .time("created_after", failed -> failed.filter().createdAfter())
      .time("created_before", failed -> failed.filter().createdBefore())
      .value("cancelled", failed -> failed.filter().withCancelled())
      .value("from", Failed::from)
      .value("from_place", Failed::fromPlace)
      .value("limit", failed -> (long) PART);
  private static final FailedWalk RETRYING_FAILED = FailedWalk.of(SqlStatement.of(
          "retry_failed_part",
          OF_FAILED.value("most_records", failed -> JobData.MOST_ATTEMPTS_KEPT))
      .variant("state", JobState.FAILED.value()));
  private static final FailedWalk COUNTING_FAILED =
      FailedWalk.of(SqlStatement.of("count_failed_part", OF_FAILED));
  private static final Map<JobState, SqlStatement<Cleaned>> CLEANING =
      ofEnds(state -> JobEnds.of(CLEAN, state));
  private static final SqlStatement<JobStatements.Due> REMOVE_EXPIRED = SqlStatement.of(
      "remove_expired",
      new Parameters<JobStatements.Due>()
          .value("queue", JobStatements.Due::queue)
          .time("now", JobStatements.Due::at)
          .value("limit", JobStatements.Due::limit)
          .value("most_lines", part -> MOST_LINES));

  public static final List<SqlStatement<?>> STATEMENTS = Stream.of(
          PROMOTING.statements(),
          RETRYING_FAILED.statements(),
          COUNTING_FAILED.statements(),
          RETRYING.values().stream().flatMap(walk -> walk.statements().stream()).toList(),
          CLEANING.values(),
          List.of(REMOVE_EXPIRED))
      .<SqlStatement<?>>flatMap(Collection::stream)
      .toList();

  private final JobTransactions transactions;

  public BulkChanges(JobTransactions transactions) {
    this.transactions = transactions;
  }

  /** Promotes all delayed jobs. */
  public Future<Integer> promoteAll(String queue) {
    return walked("promoteJobs", PROMOTING, queue);
  }

  /** Puts all jobs of a terminal state back. */
  public Future<Integer> retry(String queue, JobState state) {
    return walked("retryJobs", Objects.requireNonNull(RETRYING.get(state)), queue);
  }

  /** Puts those failed jobs back that fit. */
  public Future<Integer> retry(String queue, FailedJobsFilter filter) {
    return walked("retryJobs", RETRYING_FAILED, queue, filter).map(Math::toIntExact);
  }

  /** How many failed jobs fit. */
  public Future<Long> count(String queue, FailedJobsFilter filter) {
    return walked("countJobs", COUNTING_FAILED, queue, filter);
  }

  private Future<Long> walked(
      String operation, FailedWalk walk, String queue, FailedJobsFilter filter) {
    Failed all = new Failed(queue, filter, null, null);
    return walked(operation, walk.undated(), all)
        .compose(undated -> walked(operation, walk.dated(), all).map(dated -> undated + dated));
  }

  private Future<Long> walked(String operation, SqlStatement<Failed> statement, Failed all) {
    AtomicReference<Failed> next = new AtomicReference<>(all);
    AtomicLong count = new AtomicLong();
    return removeByParts(Integer.MAX_VALUE, size -> {
          Failed part = Objects.requireNonNull(next.get());
          return transactions.run(operation, tx -> tx.execute(statement, part)).map(rows -> {
            Row row = rows.iterator().next();
            count.addAndGet(row.getLong(0));
            next.set(part.behind(row.getOffsetDateTime(1), row.getLong(2)));
            return new Part(0, null, row.getBoolean(3));
          });
        })
        .map(done -> count.get());
  }

  /** Those without a time first, then the others from the last on. */
  private Future<Integer> walked(String operation, Walk walk, String queue) {
    return byParts(from -> part(operation, walk.undated(), new Dated(queue, null)))
        .compose(undated -> byParts(from -> part(operation, walk.dated(), new Dated(queue, from)))
            .map(dated -> undated + dated));
  }

  private Future<Part> part(String operation, SqlStatement<Dated> statement, Dated given) {
    return transactions.run(operation, tx -> tx.execute(statement, given).map(rows -> {
      Row row = rows.iterator().next();
      int count = Math.toIntExact(row.getLong(0));
      return new Part(count, row.getOffsetDateTime(1), count == PART);
    }));
  }

  /** Removes jobs that ended before {@code now} and the grace. */
  public Future<Integer> clean(String queue, JobState state, Duration grace, Instant now) {
    SqlStatement<Cleaned> statement = Objects.requireNonNull(CLEANING.get(state));
    return byParts(from -> transactions.run(
        "clean", tx -> tx.execute(statement, new Cleaned(queue, now.minus(grace), from))
            .map(BulkChanges::removed)));
  }

  /** Removes at most so many jobs whose age has made them due. */
  public Future<Integer> removeExpired(String queue, Instant now, int limit) {
    return removeByParts(
        limit,
        size -> transactions.run("removeExpiredJobs", tx -> tx.execute(
                REMOVE_EXPIRED, new JobStatements.Due(queue, now, size))
            .map(BulkChanges::removed)));
  }

  /** What a statement that removes jobs says of its part. */
  public static Part removed(RowSet<Row> rows) {
    Row row = rows.iterator().next();
    return new Part(Math.toIntExact(row.getLong(0)), row.getOffsetDateTime(1), row.getBoolean(2));
  }

  /** Parts until one is the last, each from where the one before it ended. */
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
      } else if (!part.mayBeMore()) {
        done.complete(before + part.count());
      } else {
        byParts(next, part.end(), before + part.count(), done);
      }
    });
  }

  /** Parts of at most {@link #PART} until one is not full or so many are done. */
  public static Future<Integer> byParts(int limit, Function<Integer, Future<Integer>> next) {
    return removeByParts(
        limit, size -> next.apply(size).map(count -> new Part(count, null, count >= size)));
  }

  /** The same, until one says that it is the last: those that remove very many lines are not full. */
  public static Future<Integer> removeByParts(int limit, Function<Integer, Future<Part>> next) {
    Promise<Integer> done = Promise.promise();
    removeByParts(limit, next, 0, done);
    return done.future();
  }

  private static void removeByParts(
      int limit, Function<Integer, Future<Part>> next, int before, Promise<Integer> done) {
    next.apply(Math.min(PART, limit - before)).onComplete((part, failure) -> {
      if (failure != null) {
        done.fail(failure);
      } else if (!part.mayBeMore() || before + part.count() >= limit) {
        done.complete(before + part.count());
      } else {
        removeByParts(limit, next, before + part.count(), done);
      }
    });
  }

  /** What a statement that walks over rows in the order of a name says of its part. */
  public static Walked walked(RowSet<Row> rows) {
    Row row = rows.iterator().next();
    return new Walked(row.getString(0), row.getBoolean(1));
  }

  /**
   * Parts, each behind the last row that the one before it looked at, until none are left or {@code most} were looked
   * at.
   *
   * @param behind the row that was looked at last, or null for the beginning
   * @return the last row that was looked at, or null where none are left
   */
  public static Future<@Nullable String> walk(
      @Nullable String behind, int most, Function<@Nullable String, Future<Walked>> next) {
    AtomicReference<@Nullable String> from = new AtomicReference<>(behind);
    return removeByParts(most, size -> next.apply(from.get()).map(part -> {
          from.set(part.mayBeMore() ? part.last() : null);
          return new Part(PART, null, part.mayBeMore());
        }))
        .map(looked -> from.get());
  }

  /** Parts until one has done nothing; all that did something. */
  public static <P extends Some> Future<List<P>> untilNone(Supplier<Future<P>> next) {
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
  public interface Some {
    boolean isNone();
  }

  private static <T> Map<JobState, T> ofEnds(Function<JobState, T> each) {
    return Map.of(
        JobState.COMPLETED,
        each.apply(JobState.COMPLETED),
        JobState.FAILED,
        each.apply(JobState.FAILED));
  }

  /**
   * What a part of a walk did.
   *
   * @param last the last row that was looked at, or null where there was none
   * @param mayBeMore whether there may be rows behind it
   */
  public record Walked(@Nullable String last, boolean mayBeMore) {}

  /** A part that begins at a time, or at the very beginning where that is null. */
  private record Dated(String queue, @Nullable OffsetDateTime from) {
    static final Parameters<Dated> PARAMETERS = new Parameters<Dated>()
        .value("queue", Dated::queue)
        .value("from", Dated::from)
        .value("limit", part -> (long) PART);
  }

  private record Cleaned(
      String queue, Instant before, @Nullable OffsetDateTime from) {}

  /** A part behind the job that failed at a time and has a place, or from the last on where they are null. */
  private record Failed(
      String queue,
      FailedJobsFilter filter,
      @Nullable OffsetDateTime from,
      @Nullable Long fromPlace) {
    Failed behind(@Nullable OffsetDateTime time, @Nullable Long place) {
      return new Failed(queue, filter, time, place);
    }
  }

  /** A statement about failed jobs without a time, and about the others. */
  private record FailedWalk(SqlStatement<Failed> undated, SqlStatement<Failed> dated) {
    static FailedWalk of(SqlStatement<Failed> statement) {
      return new FailedWalk(
          statement.variant("behind", "{behind_without_a_time}"),
          statement.variant("behind", "{behind_the_last}"));
    }

    List<SqlStatement<?>> statements() {
      return List.of(undated, dated);
    }
  }

  /** A statement about those without a time in a column, and about the others. */
  private record Walk(SqlStatement<Dated> undated, SqlStatement<Dated> dated) {
    static Walk of(SqlStatement<Dated> statement, String column) {
      SqlStatement<Dated> ofColumn = statement.variant("column", column);
      return new Walk(
          ofColumn.variant("bound", "{without_a_time}"),
          ofColumn.variant("bound", "{from_the_last}"));
    }

    List<SqlStatement<?>> statements() {
      return List.of(undated, dated);
    }
  }

  /**
   * What a part did.
   *
   * @param count how many jobs it changed
   * @param end where the next begins, or null where there was none
   * @param mayBeMore whether the next may find something to do
   */
  public record Part(int count, @Nullable OffsetDateTime end, boolean mayBeMore) {}
}
