package dev.runlane.timing;

import java.util.Random;

/** Draws from a {@link Random}, whose algorithm and thread safety are part of its specification. */
record RandomSource(Random random) implements Randomness {
  @Override
  public long nextLong() {
    return random.nextLong();
  }

  @Override
  public double nextDouble() {
    return random.nextDouble();
  }

  @Override
  public int nextInt(int bound) {
    return random.nextInt(bound);
  }
}
