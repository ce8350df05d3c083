package dev.runlane.benchmarks.measure;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Calls that are made one after the other, each timed from its call to its answer. */
public final class TimedCalls {
  private static final long PATIENCE_MINUTES = 10;

  private final long serverPid;

  /** Of a server whose CPU is counted. */
  public TimedCalls(long serverPid) {
    this.serverPid = serverPid;
  }

  /** Percentiles in milliseconds, and the server's CPU a call, of {@code count} calls after a tenth as warm-up. */
  public JsonObject measure(String workload, int count, Supplier<Future<?>> call) {
    for (int i = 0; i < count / 10; i++) {
      await(call.get());
    }
    long[] nanos = new long[count];
    long serverBefore = Cpu.ofServer(serverPid);
    for (int i = 0; i < count; i++) {
      long began = System.nanoTime();
      await(call.get());
      nanos[i] = System.nanoTime() - began;
    }
    long serverMicros = Cpu.ofServer(serverPid) - serverBefore;
    Arrays.sort(nanos);
    return new JsonObject()
        .put("workload", workload)
        .put("calls", count)
        .put("p50Millis", nanos[count / 2] / 1e6)
        .put("p99Millis", nanos[count * 99 / 100] / 1e6)
        .put("serverMicrosPerCall", serverMicros / count);
  }

  /** Waits for what is no part of a measurement, too. */
  public static <T> T await(Future<T> future) {
    try {
      return future.await(PATIENCE_MINUTES, TimeUnit.MINUTES);
    } catch (TimeoutException late) {
      throw new IllegalStateException("not done within " + PATIENCE_MINUTES + " min", late);
    }
  }
}
