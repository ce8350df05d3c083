package dev.runlane.testinfra.process;

import dev.runlane.testinfra.ServerException;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for what no process signals to us. */
public final class Poll {
  private static final long PAUSE_MILLIS = 5;

  private Poll() {}

  /** Looks again and again; false if the condition did not hold within the time. */
  public static boolean until(Duration atMost, BooleanSupplier condition) {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        return false;
      }
      pause(PAUSE_MILLIS);
    }
    return true;
  }

  public static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new ServerException("interrupted while waiting for a server", interrupted);
    }
  }
}
