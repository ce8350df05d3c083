package dev.runlane.operator.throughput;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * What became of the runs of one task in one queue within one minute.
 *
 * @param minute when it began; cut to minutes
 * @param queue the queue
 * @param taskId the task
 * @param triggered runs that were created
 * @param started attempts that began
 * @param succeeded attempts that ended with their run
 * @param failed attempts that failed with their run, for good
 * @param retried attempts that failed and are made again
 * @param released attempts whose run continues later
 * @param cancelled attempts whose run was cancelled
 * @param lost attempts of which nothing was stored
 * @param waited from when runs were due to their attempts
 * @param attempt from the begin of attempts to their outcome
 * @param run from the creation of runs to their end
 */
public record ThroughputBucket(
    Instant minute,
    String queue,
    String taskId,
    long triggered,
    long started,
    long succeeded,
    long failed,
    long retried,
    long released,
    long cancelled,
    long lost,
    Latencies waited,
    Latencies attempt,
    Latencies run) {
  private static final int COUNTERS = 8;
  private static final int OF_ONE = Latencies.BOUNDS + 2; // numbers of one histogram

  /** How many {@link #numbers} there are. */
  public static final int NUMBERS = COUNTERS + 3 * OF_ONE;

  /** Refuses null and cuts the instant to minutes. */
  public ThroughputBucket {
    Objects.requireNonNull(queue);
    Objects.requireNonNull(taskId);
    Objects.requireNonNull(waited);
    Objects.requireNonNull(attempt);
    Objects.requireNonNull(run);
    minute = minute.truncatedTo(ChronoUnit.MINUTES);
  }

  /**
   * What {@link #numbers} returned, read back.
   *
   * @param numbers those that are missing at the end count as 0, and further ones, of a later release, are left out
   */
  public static ThroughputBucket of(
      Instant minute, String queue, String taskId, List<Long> numbers) {
    List<Long> all = IntStream.range(0, NUMBERS)
        .mapToObj(place -> place < numbers.size() ? numbers.get(place) : Long.valueOf(0))
        .toList();
    return new ThroughputBucket(
        minute,
        queue,
        taskId,
        all.get(0),
        all.get(1),
        all.get(2),
        all.get(3),
        all.get(4),
        all.get(5),
        all.get(6),
        all.get(7),
        latencies(all, 0),
        latencies(all, 1),
        latencies(all, 2));
  }

  /** All that is counted, in one order for ever, to be stored and added place by place. */
  public List<Long> numbers() {
    List<Long> numbers = new ArrayList<>(
        List.of(triggered, started, succeeded, failed, retried, released, cancelled, lost));
    for (Latencies each : List.of(waited, attempt, run)) {
      numbers.add(each.sumMillis());
      numbers.addAll(each.counts());
    }
    return numbers;
  }

  /** This one and another, of any minute, queue or task, as one of this minute, queue and task. */
  public ThroughputBucket plus(ThroughputBucket other) {
    List<Long> mine = numbers();
    List<Long> others = other.numbers();
    return of(
        minute,
        queue,
        taskId,
        IntStream.range(0, NUMBERS)
            .mapToObj(place -> mine.get(place) + others.get(place))
            .toList());
  }

  private static Latencies latencies(List<Long> numbers, int which) {
    int from = COUNTERS + which * OF_ONE;
    return new Latencies(numbers.subList(from + 1, from + OF_ONE), numbers.get(from));
  }
}
