package dev.runlane.jobs.postgres.log;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.MetricsBucket;
import dev.runlane.jobs.MetricsGranularity;
import dev.runlane.jobs.postgres.row.AdvisoryKey;
import dev.runlane.jobs.postgres.row.JobSession;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.JobStoreOptions;
import dev.runlane.jobs.store.MetricsQuery;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlResult;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Buckets of ended jobs. */
public final class JobMetrics {
  /** Most processes that write rows of their own; more share them. */
  private static final int SHARDS = 32;

  private static final SqlStatement<Ends> COUNT_ENDS = SqlStatement.of(
      "count_ends",
      new Parameters<Ends>()
          .value("shard", Ends::shard)
          .rows(
              Ends::ends,
              new Columns<End>()
                  .texts("queues", End::queueName)
                  .times("periods", end -> MetricsGranularity.MINUTE.periodOf(end.at()))
                  .texts("names", End::jobName)
                  .integers("completed", end -> end.state() == JobState.COMPLETED ? 1 : 0)
                  .integers("failed", end -> end.state() == JobState.FAILED ? 1 : 0)
                  .longs("millis", End::millis)));
  private static final SqlStatement<MetricsQuery> LIST = SqlStatement.of(
      "list_metrics",
      new Parameters<MetricsQuery>()
          .value("queue", MetricsQuery::queueName)
          .value("granularity", query -> query.granularity().value())
          .time("from", MetricsQuery::from)
          .time("to", MetricsQuery::to));
  private static final SqlStatement<Long> LOCK =
      SqlStatement.of("lock_metrics", new Parameters<Long>().value("lock", lock -> lock));
  private static final SqlStatement<Walked> AGGREGATE = SqlStatement.of(
      "aggregate_metrics",
      new Parameters<Walked>()
          .value("queue", walked -> walked.behind().queue())
          .value("period", walked -> walked.behind().period())
          .value("name", walked -> walked.behind().name())
          .value("shard", walked -> walked.behind().shard())
          .time("recent", Walked::recent)
          .value("limit", Walked::limit));
  private static final SqlStatement<Kept> DROP = SqlStatement.of(
      "drop_metrics",
      new Parameters<Kept>()
          .time("minutes_before", Kept::minutesFrom)
          .time("hours_before", Kept::hoursFrom)
          .value("limit", Kept::limit));

  public static final List<SqlStatement<?>> STATEMENTS =
      List.of(COUNT_ENDS, LIST, LOCK, AGGREGATE, DROP);

  /** How often minutes of any age are looked at. */
  private static final Duration WHOLE_EVERY = Duration.ofHours(1);

  private final JobStoreOptions options;
  private final short shard;
  private volatile @Nullable Instant wholeAt;

  public JobMetrics(JobStoreOptions options, long random) {
    this.options = options;
    this.shard = (short) Math.floorMod(random, SHARDS);
  }

  public boolean areKept() {
    return options.isMetricsEnabled();
  }

  public short shard() {
    return shard;
  }

  /** Counts ended jobs, in the transaction that ended them. */
  public Future<Void> raise(JobSession session, List<End> ends) {
    List<End> all = ends.stream()
        .flatMap(end -> Stream.of(
            end, new End(end.queueName(), JobStore.ALL, end.state(), end.at(), end.millis())))
        .toList();
    return session.execute(COUNT_ENDS, new Ends(shard, all)).mapEmpty();
  }

  public Future<List<MetricsBucket>> list(JobSession session, MetricsQuery query) {
    if (!areKept()) {
      return off();
    }
    return session.execute(LIST, query).map(rows -> {
      List<MetricsBucket> buckets = new ArrayList<>();
      rows.forEach(row -> buckets.add(bucket(row)));
      return buckets;
    });
  }

  private static MetricsBucket bucket(Row row) {
    String granularity = row.getString(3);
    return new MetricsBucket(
        row.getString(0),
        row.getString(1),
        row.getOffsetDateTime(2).toInstant(),
        Arrays.stream(MetricsGranularity.values())
            .filter(each -> each.value().equals(granularity))
            .findFirst()
            .orElseThrow(),
        row.getLong(4),
        row.getLong(5),
        row.getLong(6),
        row.getLong(7),
        row.getLong(8));
  }

  /**
   * Which minutes are to be added up at {@code now}: those from here on, or from an hour before the newest hour of
   * their queue; null: all. Once an hour they are all, so that what was counted late is found.
   */
  public @Nullable Instant recent(Instant now) {
    Instant whole = wholeAt;
    return whole == null || Duration.between(whole, now).abs().compareTo(WHOLE_EVERY) >= 0
        ? null
        : now.minus(WHOLE_EVERY);
  }

  /** Notes that at {@code now} all minutes were added up. */
  public void addedUp(Instant now) {
    wholeAt = now;
  }

  /**
   * Adds at most so many minutes to their hours, in a transaction of its own.
   *
   * @param recent see {@link #recent}
   * @param behind the minute behind which it begins
   */
  public Future<Added> aggregate(
      JobSession session, @Nullable Instant recent, Bucket behind, int limit) {
    if (!areKept()) {
      return off();
    }
    long lock = AdvisoryKey.of(session.scope(), "metrics");
    return session
        .execute(LOCK, lock)
        .compose(locked -> session.execute(AGGREGATE, new Walked(recent, behind, limit)))
        .map(rows -> {
          Row row = rows.iterator().next();
          return new Added(
              Math.toIntExact(row.getLong(0)),
              new Bucket(
                  row.getString(1), row.getOffsetDateTime(2), row.getString(3), row.getShort(4)));
        });
  }

  /** Drops at most so many that are past retention; answers how many. */
  public Future<Integer> drop(JobSession session, Instant now, int limit) {
    Instant minutesFrom = now.minus(options.getMetricsMinuteRetention());
    Instant hoursFrom = now.minus(options.getMetricsHourRetention());
    return session.execute(DROP, new Kept(minutesFrom, hoursFrom, limit)).map(SqlResult::rowCount);
  }

  private static <T> Future<T> off() {
    return Future.failedFuture(
        RunlaneException.of(ErrorCode.CAPABILITY_UNSUPPORTED, "metrics are not enabled"));
  }

  /**
   * The end of a job.
   *
   * @param queueName its queue
   * @param jobName its name
   * @param state completed or failed
   * @param at when
   * @param millis how long it took since it was fetched, or null where it was not
   */
  public record End(
      String queueName,
      String jobName,
      JobState state,
      Instant at,
      @Nullable Long millis) {
    public static End of(JobData job, Instant now) {
      Instant ended = job.state() == JobState.COMPLETED ? job.completedAt() : job.failedAt();
      Instant at = Objects.requireNonNullElse(ended, now);
      Long millis = job.processedAt() == null
          ? null
          : Math.max(0, Duration.between(job.processedAt(), at).toMillis());
      return new End(job.queueName(), job.name(), job.state(), at, millis);
    }
  }

  /** A minute of a name in one process's share of the rows; of nulls before all of them. */
  public record Bucket(
      @Nullable String queue,
      @Nullable OffsetDateTime period,
      @Nullable String name,
      @Nullable Short shard) {
    /** Before all of them. */
    public static final Bucket FIRST = new Bucket(null, null, null, null);
  }

  /**
   * What was added.
   *
   * @param count how many minutes
   * @param last the last of them; nothing is said where there was none
   */
  public record Added(int count, Bucket last) {}

  private record Walked(@Nullable Instant recent, Bucket behind, long limit) {}

  private record Ends(short shard, List<End> ends) {}

  private record Kept(Instant minutesFrom, Instant hoursFrom, long limit) {}
}
