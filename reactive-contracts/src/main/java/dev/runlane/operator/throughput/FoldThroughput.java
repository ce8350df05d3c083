package dev.runlane.operator.throughput;

import dev.runlane.run.Environment;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Asks for minutes added up over equal steps of time, counted from 1970-01-01 00:00 UTC on.
 *
 * @param environment scope
 * @param from where a step begins; only steps that begin then or later
 * @param until only minutes that began before
 * @param step whole minutes, from 1 minute to {@link #LONGEST_STEP}
 * @param by what is told apart; the rest is added up
 * @param queue only of this queue; null: of all
 * @param taskId only of this task; null: of all
 */
public record FoldThroughput(
    Environment environment,
    Instant from,
    Instant until,
    Duration step,
    By by,
    @Nullable String queue,
    @Nullable String taskId) {
  /** The longest step = 1 day. */
  public static final Duration LONGEST_STEP = Duration.ofDays(1);

  /** Refuses null and cuts instants to microseconds. */
  public FoldThroughput {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(step);
    Objects.requireNonNull(by);
    from = from.truncatedTo(ChronoUnit.MICROS);
    until = until.truncatedTo(ChronoUnit.MICROS);
  }

  /** When the step begins that an instant is in. */
  public static Instant beginOf(Instant instant, Duration step) {
    long seconds = step.toSeconds();
    return Instant.ofEpochSecond(Math.floorDiv(instant.getEpochSecond(), seconds) * seconds);
  }

  /** When the step begins that an instant is in. */
  public Instant beginOf(Instant instant) {
    return beginOf(instant, step);
  }

  /** What is told apart. */
  public enum By {
    /** Nothing: queues and tasks are added up. */
    NONE,
    /** Queues: their tasks are added up. */
    QUEUE,
    /** Tasks, in whichever queues. */
    TASK;

    /** A bucket's, with that name in place of what is added up. */
    public ThroughputBucket folded(ThroughputBucket bucket, Instant at) {
      return ThroughputBucket.of(
          at,
          this == QUEUE ? bucket.queue() : FoldedThroughput.ALL,
          this == TASK ? bucket.taskId() : FoldedThroughput.ALL,
          bucket.numbers());
    }
  }
}
