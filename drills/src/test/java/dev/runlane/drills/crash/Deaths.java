package dev.runlane.drills.crash;

import dev.runlane.drills.crash.CrashPoint.When;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/** Deaths of a program around its statements, several tried at a time. */
public final class Deaths {
  private static final boolean FULL = Boolean.getBoolean("drills.full");

  /** A program that lives on has fewer statements than it had before: it is tried again, around one of those. */
  private static final int TIMES = 5;

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

  /**
   * Tries each point before and after its statement, and answers how often the program died. In the short form another
   * point is tried instead of one that the program does not reach this time.
   */
  public static int tryAll(List<Integer> points, int together, Trial trial)
      throws InterruptedException {
    ExecutorService several = Executors.newFixedThreadPool(together);
    try {
      Set<String> tried = ConcurrentHashMap.newKeySet();
      List<Future<Boolean>> all = new ArrayList<>();
      for (int nth : points) {
        for (When when : When.values()) {
          all.add(several.submit(() -> dies(nth, when, tried, trial)));
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

  private static boolean dies(int nth, When when, Set<String> tried, Trial trial) {
    int point = nth;
    for (int time = 0; time < TIMES; time++) {
      while (!tried.add(point + " " + when) && point > 1) {
        point--;
      }
      int statements = trial.livedThrough(point, when);
      if (statements == 0 || FULL) {
        return statements == 0;
      }
      point = Math.max(1, statements / 2);
    }
    return false;
  }

  /** One program and its successor. */
  @FunctionalInterface
  public interface Trial {
    /**
     * How many statements the program had, if it did not come to the point; 0 where it died there. Throws {@code
     * AssertionError} where its successor finds something wrong.
     */
    int livedThrough(int nth, When when);
  }
}
