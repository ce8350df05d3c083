package dev.runlane.benchmarks.measure;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;

/** Counts for each payload how often a handler was called with it. Safe for use by any thread. */
public final class Seen {
  private final AtomicIntegerArray calls;

  /** Nothing seen yet of payloads 0 to {@code size - 1}. */
  public Seen(int size) {
    calls = new AtomicIntegerArray(size);
  }

  /** A handler was called. */
  public void add(int number) {
    calls.incrementAndGet(number);
  }

  /** Throws unless every payload from {@code from} on, before {@code to}, was seen exactly once. */
  public void requireOnce(int from, int to) {
    int[] wrong = IntStream.range(from, to)
        .filter(number -> calls.get(number) != 1)
        .limit(10)
        .toArray();
    if (wrong.length > 0) {
      throw new IllegalStateException(
          "payloads not handled exactly once, among them " + Arrays.toString(wrong));
    }
  }
}
