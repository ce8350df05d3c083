package dev.runlane.testing;

import dev.runlane.timing.Randomness;

/** The same ids in each run of a test, and the middle of each jitter: none. */
final class TestRandomness implements Randomness {
  private static final long SEED = 1;
  private static final double MIDDLE = 0.5;

  private final Randomness seeded = Randomness.seeded(SEED);

  @Override
  public long nextLong() {
    return seeded.nextLong();
  }

  @Override
  public double nextDouble() {
    return MIDDLE;
  }

  @Override
  public int nextInt(int bound) {
    return seeded.nextInt(bound);
  }
}
