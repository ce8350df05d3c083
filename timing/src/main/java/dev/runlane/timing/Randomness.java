package dev.runlane.timing;

import java.security.SecureRandom;
import java.util.Random;

/** Where random numbers are drawn, for ids, tokens and jitter. Safe for use by any thread. */
public interface Randomness {
  /** Any {@code long}, all equally likely. */
  long nextLong();

  /** At least 0 and below 1. */
  double nextDouble();

  /**
   * At least 0 and below {@code bound}, all equally likely.
   *
   * @throws IllegalArgumentException if {@code bound} is not positive
   */
  int nextInt(int bound);

  /** Numbers that nobody can predict, so that two processes never draw the same row of them. */
  static Randomness system() {
    return new RandomSource(new SecureRandom());
  }

  /** The same row of numbers for the same seed, on every machine and every Java release. */
  static Randomness seeded(long seed) {
    return new RandomSource(new Random(seed));
  }
}
