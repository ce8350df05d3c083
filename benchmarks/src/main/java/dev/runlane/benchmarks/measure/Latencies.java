package dev.runlane.benchmarks.measure;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;

/** Times from trigger to handler. Handlers add on one context. */
public final class Latencies {
  private final int from;
  private final long[] nanos;
  private final int all;
  private final Promise<Void> complete = Promise.promise();
  private int added;

  /** Keeps those of payloads {@code from} to {@code end - 1} and waits for all from 0 on. */
  public Latencies(int from, int end) {
    this.from = from;
    nanos = new long[end - from];
    all = end;
  }

  public void add(int number, long latencyNanos) {
    if (number >= from) {
      nanos[number - from] = latencyNanos;
    }
    if (++added == all) {
      complete.complete();
    }
  }

  /** Completes when a handler was called for every payload. */
  public Future<Void> complete() {
    return complete.future();
  }

  /** Percentiles in milliseconds. */
  public JsonObject results() {
    return of(nanos);
  }

  /** Percentiles, in milliseconds, of at least one time. */
  public static JsonObject of(long[] nanos) {
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
    return new JsonObject()
        .put("p50Millis", percentile(sorted, 0.50))
        .put("p90Millis", percentile(sorted, 0.90))
        .put("p99Millis", percentile(sorted, 0.99))
        .put("maxMillis", percentile(sorted, 1.0));
  }

  private static double percentile(long[] sorted, double part) {
    int index = (int) Math.ceil(part * sorted.length) - 1;
    return sorted[Math.max(0, index)] / 1e6;
  }
}
