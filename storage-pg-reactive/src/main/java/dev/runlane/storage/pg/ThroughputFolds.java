package dev.runlane.storage.pg;

import dev.runlane.operator.throughput.FoldThroughput;
import dev.runlane.operator.throughput.FoldedThroughput;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.run.Identifiers;
import dev.runlane.storage.pg.row.RowReader;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * Which rows a fold of throughput is made of, and what they add up to.
 *
 * @param query what is asked for
 * @param grain how many minutes the rows have that the most of it is made of
 * @param edge where the last of those ends; minutes are read from there on
 */
record ThroughputFolds(FoldThroughput query, int grain, Instant edge) {
  /** How many rows are read at most: some tens of milliseconds. */
  static final int MOST_ROWS = 20_000;

  /** The shortest grain, in minutes, by which folds are made. */
  static final int LEAST_GRAIN = 5;

  /** How many steps of it are folded behind one addition at most, where many wait. */
  static final int MOST_STEPS = 20;

  static final Parameters<ThroughputFolds> PARAMETERS = new Parameters<ThroughputFolds>()
      .time("from", each -> each.query.from())
      .time("until", each -> each.query.until())
      .time("edge", ThroughputFolds::edge)
      .value("grain", ThroughputFolds::grain)
      .value("queue", each -> each.query.queue())
      .value("task_id", each -> each.query.taskId())
      .value("limit", each -> MOST_ROWS + 1);

  private static final List<Integer> GRAINS = List.of(60, LEAST_GRAIN);
  private static final Comparator<ThroughputBucket> ORDER = Comparator.comparing(
          ThroughputBucket::minute)
      .thenComparing(ThroughputBucket::queue, Identifiers.ORDER)
      .thenComparing(ThroughputBucket::taskId, Identifiers.ORDER);

  static ThroughputFolds of(FoldThroughput query) {
    long minutes = query.step().toMinutes();
    for (int grain : GRAINS) {
      Instant edge = FoldThroughput.beginOf(query.until(), Duration.ofMinutes(grain));
      if (minutes % grain == 0 && edge.isAfter(query.from())) {
        return new ThroughputFolds(query, grain, edge);
      }
    }
    return new ThroughputFolds(query, 1, query.from());
  }

  /** Adds rows up, the latest first; where there are more than a bound, those of steps that are whole. */
  FoldedThroughput added(RowSet<Row> rows) {
    Map<Key, long[]> steps = new HashMap<>();
    Instant from = query.from();
    int read = 0;
    for (Row each : rows) {
      RowReader row = new RowReader(each);
      Instant at = query.beginOf(row.time());
      Key key = Key.of(query.by(), at, row.text(), row.text());
      if (++read > MOST_ROWS) {
        from = at.plus(query.step());
      } else {
        add(steps.computeIfAbsent(key, any -> new long[ThroughputBucket.NUMBERS]), row.text());
      }
    }
    Instant whole = from;
    return new FoldedThroughput(
        whole,
        steps.entrySet().stream()
            .filter(step -> !step.getKey().at.isBefore(whole))
            .map(step -> step.getKey().bucket(step.getValue()))
            .sorted(ORDER)
            .toList());
  }

  /** Of a list of numbers as Postgres writes it; those of a later release are left out. */
  private static void add(long[] sums, String numbers) {
    long number = 0;
    int place = 0;
    for (int at = 1; at < numbers.length() && place < sums.length; at++) {
      char digit = numbers.charAt(at);
      if (digit >= '0' && digit <= '9') {
        number = 10 * number + (digit - '0');
      } else {
        sums[place++] += number;
        number = 0;
      }
    }
  }

  private record Key(Instant at, String queue, String taskId) {
    static Key of(FoldThroughput.By by, Instant at, String queue, String taskId) {
      return new Key(
          at,
          by == FoldThroughput.By.QUEUE ? queue : FoldedThroughput.ALL,
          by == FoldThroughput.By.TASK ? taskId : FoldedThroughput.ALL);
    }

    ThroughputBucket bucket(long[] sums) {
      return ThroughputBucket.of(at, queue, taskId, LongStream.of(sums).boxed().toList());
    }
  }
}
