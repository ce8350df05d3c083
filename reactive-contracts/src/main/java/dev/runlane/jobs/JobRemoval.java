package dev.runlane.jobs;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * When jobs that have ended are removed. With neither of the three: never.
 *
 * @param isAtOnce whether a job goes in the transaction that ends it
 * @param age how long after its end a job stays, positive, or null for no limit of age
 * @param count how many of the queue's jobs that ended alike stay, the last to end first, 1 or more, or null
 *     for no limit of number
 */
public record JobRemoval(
    boolean isAtOnce, @Nullable Duration age, @Nullable Integer count) {
  /** Keeps a job; says so where the queue's defaults say otherwise. */
  public static JobRemoval never() {
    return new JobRemoval(false, null, null);
  }

  /** Removes a job in the transaction that ends it. */
  public static JobRemoval atOnce() {
    return new JobRemoval(true, null, null);
  }

  /** Removes a job so long after its end. */
  public static JobRemoval after(Duration age) {
    return new JobRemoval(false, age, null);
  }

  /** Keeps the last so many jobs of the queue that ended alike. */
  public static JobRemoval keeping(int count) {
    return new JobRemoval(false, null, count);
  }

  /** The same, keeping at most so many. */
  public JobRemoval atMost(int most) {
    return new JobRemoval(isAtOnce, age, most);
  }
}
