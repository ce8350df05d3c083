package dev.runlane.benchmarks.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/** Threads outside of Vert.x, each of which makes one call after the other and waits for it. */
public final class CallingThreads {
  private CallingThreads() {}

  /** Returns when {@code call} was made for each number; throws what the first call of a thread threw. */
  public static void run(int threads, int from, int end, IntConsumer call) {
    AtomicInteger next = new AtomicInteger(from);
    ExecutorService callers = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> ends = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        ends.add(callers.submit(() -> {
          for (int number = next.getAndIncrement(); number < end; number = next.getAndIncrement()) {
            call.accept(number);
          }
        }));
      }
      for (Future<?> each : ends) {
        each.get();
      }
    } catch (ExecutionException failure) {
      throw new IllegalStateException("a call failed", failure.getCause());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", interrupted);
    } finally {
      callers.shutdownNow();
    }
  }
}
