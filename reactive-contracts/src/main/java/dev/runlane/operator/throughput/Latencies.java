package dev.runlane.operator.throughput;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How long something took, many times: a histogram with fixed bounds, so that any number of them can be added.
 *
 * @param counts how many took at most 1 ms, 2 ms, 4 ms and so on up to {@link #LONGEST}, each counted once, under the
 * first bound that it does not exceed; the last: how many took longer
 * @param sumMillis of all together
 */
public record Latencies(List<Long> counts, long sumMillis) {
  /** How many bounds there are = 24. */
  public static final int BOUNDS = 24;

  /** The last bound = 2 h 19 min 48.608 s. */
  public static final Duration LONGEST = Duration.ofMillis(1L << (BOUNDS - 1));

  /** Of nothing. */
  public static final Latencies NONE = new Latencies(Collections.nCopies(BOUNDS + 1, 0L), 0);

  /** Copies the list. Throws {@code IllegalArgumentException} unless there is one count a bound and one more. */
  public Latencies {
    counts = List.copyOf(counts);
    if (counts.size() != BOUNDS + 1) {
      throw new IllegalArgumentException(
          "there are %s counts, not %s".formatted(counts.size(), BOUNDS + 1));
    }
  }

  /** The place in {@link #counts} of what took so long; what took less than nothing took nothing. */
  public static int place(long millis) {
    return millis <= 1 ? 0 : Math.min(BOUNDS, Long.SIZE - Long.numberOfLeadingZeros(millis - 1));
  }

  /** Of one. */
  public static Latencies of(Duration took) {
    long millis = Math.max(0, took.toMillis());
    List<Long> counts = new ArrayList<>(NONE.counts);
    counts.set(place(millis), 1L);
    return new Latencies(counts, millis);
  }

  /** Of both together. */
  public Latencies plus(Latencies other) {
    return new Latencies(
        IntStream.rangeClosed(0, BOUNDS)
            .mapToObj(place -> counts.get(place) + other.counts.get(place))
            .toList(),
        sumMillis + other.sumMillis);
  }

  /** How many there are. */
  public long count() {
    return counts.stream().mapToLong(Long::longValue).sum();
  }

  /**
   * The first bound that so large a part of them did not exceed; zero where there are none, and {@link #LONGEST} where
   * it was longer.
   *
   * @param part from 0 to 1, such as 0.95
   */
  public Duration quantile(double part) {
    long wanted = (long) Math.ceil(part * count());
    long seen = 0;
    for (int place = 0; place < BOUNDS; place++) {
      seen += counts.get(place);
      if (seen >= wanted) {
        return seen == 0 ? Duration.ZERO : Duration.ofMillis(1L << place);
      }
    }
    return LONGEST;
  }
}
