package dev.runlane.drills.crash;

import dev.runlane.drills.crash.CrashPoint.When;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/** Deaths of a program around its statements, several tried at a time. */
public final class Deaths {
  private static final boolean FULL = Boolean.getBoolean("drills.full");

  private Deaths() {}

  /**
   * The statements to die around, counted from 1: all of them, or in the short form one of each of so many equal parts
   * of them, which the seed draws.
   */
  public static List<Integer> points(int statements, int parts, long seed) {
    if (FULL) {
      return IntStream.rangeClosed(1, statements).boxed().toList();
    }
    Random random = new Random(seed);
    List<Integer> points = new ArrayList<>();
    for (int part = 0; part < parts; part++) {
      int first = statements * part / parts + 1;
      int last = statements * (part + 1) / parts;
      points.add(first + random.nextInt(last - first + 1));
    }
    return points;
  }

  /** Tries each point before and after its statement, and answers how often the program died. */
  public static int tryAll(List<Integer> points, int together, Trial trial)
      throws InterruptedException {
    ExecutorService several = Executors.newFixedThreadPool(together);
    try {
      List<Future<Boolean>> all = new ArrayList<>();
      for (int nth : points) {
        for (When when : When.values()) {
          all.add(several.submit(() -> trial.died(nth, when)));
        }
      }
      int died = 0;
      for (Future<Boolean> each : all) {
        died += each.get() ? 1 : 0;
      }
      return died;
    } catch (ExecutionException failed) {
      throw new AssertionError(failed.getCause().getMessage(), failed.getCause());
    } finally {
      several.shutdownNow();
    }
  }

  /** One program and its successor. */
  @FunctionalInterface
  public interface Trial {
    /** Whether the program died there; throws {@code AssertionError} where its successor finds something wrong. */
    boolean died(int nth, When when);
  }
}
