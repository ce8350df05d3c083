package dev.runlane.testinfra.process;

import java.time.Duration;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Tells a thread that was blocked from a process that did not run: a thread that does nothing but tick, and has missed
 * its ticks as well where the machine had no time for the process. Safe for use by any thread.
 */
public final class StallWitness {
  private static final Duration TICK = Duration.ofMillis(50);

  /** As many as are looked back for: 30 s. */
  private static final int MOST_TICKS = 600;

  private final LongSupplier nanoTime;
  private final long begunAt;
  private final Deque<Long> ticks = new ConcurrentLinkedDeque<>();
  private int kept; // by the ticking thread alone

  StallWitness(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    begunAt = nanoTime.getAsLong();
  }

  /** The one of this process, which ticks from the first call on. */
  public static StallWitness ofProcess() {
    return OfProcess.WITNESS;
  }

  /**
   * Whether less than half of the ticks came that were due within the last {@code time}, the part before the first call
   * of {@link #ofProcess} left out.
   */
  public boolean hasMissedTicks(Duration time) {
    long now = nanoTime.getAsLong();
    long looked = Math.min(time.toNanos(), now - begunAt);
    long came = ticks.stream().filter(tick -> now - tick < looked).count();
    return came < looked / TICK.toNanos() / 2;
  }

  void tick() {
    ticks.addLast(nanoTime.getAsLong());
    if (kept == MOST_TICKS) {
      ticks.removeFirst();
    } else {
      kept++;
    }
  }

  private void tickForEver() {
    while (!Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(TICK.toNanos());
      tick();
    }
  }

  private static final class OfProcess {
    static final StallWitness WITNESS = new StallWitness(System::nanoTime);

    static {
      Thread ticking = new Thread(WITNESS::tickForEver, "stall witness");
      ticking.setDaemon(true);
      ticking.start();
    }
  }
}
