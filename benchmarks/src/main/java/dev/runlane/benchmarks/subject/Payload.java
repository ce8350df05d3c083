package dev.runlane.benchmarks.subject;

/**
 * What each run carries, about 200 bytes of JSON.
 *
 * @param number 0 and up, each once
 * @param sentNanos the monotonic clock of the machine when the run was triggered
 * @param text filler
 */
public record Payload(int number, long sentNanos, String text) {
  /** 150 characters, for systems that take text. */
  public static final String FILLER = "x".repeat(150);

  /** A payload made now. */
  public static Payload of(int number) {
    return new Payload(number, System.nanoTime(), FILLER);
  }
}
