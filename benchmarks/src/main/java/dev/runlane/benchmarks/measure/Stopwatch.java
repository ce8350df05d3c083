package dev.runlane.benchmarks.measure;

import io.vertx.core.json.JsonObject;

/** How long the measured part took. */
public final class Stopwatch {
  private final long startedAt = System.nanoTime();

  private Stopwatch() {}

  /** Starts now. */
  public static Stopwatch start() {
    return new Stopwatch();
  }

  /** Stops now: {@code elapsedNanos}. */
  public JsonObject results() {
    return new JsonObject().put("elapsedNanos", System.nanoTime() - startedAt);
  }
}
