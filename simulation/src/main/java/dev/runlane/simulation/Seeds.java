package dev.runlane.simulation;

import dev.runlane.simulation.fault.Fault.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** Runs many seeds, one world for each, on several threads. */
public final class Seeds {
  private final World world;
  private final int threads;
  private final AtomicLong done = new AtomicLong();
  private final Map<Kind, AtomicLong> hits = new ConcurrentSkipListMap<>();
  private long after;

  /** Worlds of the runtime, so many at a time. */
  public Seeds(int threads) {
    this(World.RUNS, threads);
  }

  /**
   * @param world what is simulated
   * @param threads how many worlds at a time
   */
  public Seeds(World world, int threads) {
    this.world = world;
    this.threads = threads;
  }

  /** How many worlds were run. */
  public long done() {
    return done.get();
  }

  /** How often faults of each kind hit, in the order of the kinds. */
  public Map<Kind, AtomicLong> hits() {
    return hits;
  }

  /** The first seed after those of the last {@link #run(long, BooleanSupplier)}. */
  public long after() {
    return after;
  }

  /** Runs the seeds from {@code first} on while {@code goOn} says so; answers those that failed, in order. */
  public List<Result> run(long first, BooleanSupplier goOn) {
    AtomicLong next = new AtomicLong(first);
    List<Result> broken = collect(() -> {
      List<Result> failed = new ArrayList<>();
      while (goOn.getAsBoolean()) {
        keepIfFailed(next.getAndIncrement(), failed);
      }
      return failed;
    });
    after = next.get();
    return broken;
  }

  /** Runs these seeds, in order; answers those that failed. */
  public List<Result> run(List<Long> seeds) {
    AtomicLong next = new AtomicLong();
    return collect(() -> {
      List<Result> failed = new ArrayList<>();
      for (long index = next.getAndIncrement();
          index < seeds.size();
          index = next.getAndIncrement()) {
        keepIfFailed(seeds.get((int) index), failed);
      }
      return failed;
    });
  }

  private void keepIfFailed(long seed, List<Result> failed) {
    Result result = world.run(seed);
    done.incrementAndGet();
    result.hits().forEach((kind, times) -> hits.computeIfAbsent(kind, first -> new AtomicLong())
        .addAndGet(times));
    if (!result.isGood()) {
      failed.add(result);
    }
  }

  private List<Result> collect(Callable<List<Result>> work) {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<List<Result>>> parts = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        parts.add(pool.submit(work));
      }
      List<Result> failed = new ArrayList<>();
      for (Future<List<Result>> part : parts) {
        failed.addAll(part.get());
      }
      failed.sort(Comparator.comparingLong(Result::seed));
      return failed;
    } catch (ExecutionException failure) {
      throw new IllegalStateException("a world could not be run", failure.getCause());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("was interrupted while worlds ran", interrupted);
    } finally {
      pool.shutdownNow();
    }
  }
}
