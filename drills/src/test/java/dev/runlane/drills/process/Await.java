package dev.runlane.drills.process;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what another process brings about and nobody tells us of. */
public final class Await {
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** The full drills tell how long recoveries took; the short ones share the processor with other tests. */
  private static final long LONGEST_PAUSE_NANOS =
      TimeUnit.MILLISECONDS.toNanos(Boolean.getBoolean("drills.full") ? 50 : 200);

  private static final long RESULT_SECONDS = 120;

  private Await() {}

  /** The result of a future, which must come within two minutes. */
  public static <T> T result(Future<T> future) {
    try {
      return future.await(RESULT_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError("no result within " + RESULT_SECONDS + " s", late);
    }
  }

  /**
   * Looks again and again, in a long wait less often. Throws {@code AssertionError} when the condition does not hold in
   * time.
   */
  public static Duration until(String what, Duration atMost, BooleanSupplier condition) {
    long begun = System.nanoTime();
    long pause = FIRST_PAUSE_NANOS;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - begun > atMost.toNanos()) {
        throw new AssertionError("within " + atMost + " it did not happen that " + what);
      }
      if (Thread.currentThread().isInterrupted()) {
        throw new AssertionError("interrupted while waiting until " + what);
      }
      LockSupport.parkNanos(pause);
      pause = Math.min(pause + pause / 4, LONGEST_PAUSE_NANOS);
    }
    return Duration.ofNanos(System.nanoTime() - begun);
  }
}
