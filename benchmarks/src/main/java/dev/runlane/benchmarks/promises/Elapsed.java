package dev.runlane.benchmarks.promises;

/** Time that has passed on the monotonic clock. */
final class Elapsed {
  private final long began = System.nanoTime();

  private Elapsed() {}

  static Elapsed fromNow() {
    return new Elapsed();
  }

  double seconds() {
    return (System.nanoTime() - began) / 1e9;
  }

  double millis() {
    return (System.nanoTime() - began) / 1e6;
  }
}
