package dev.runlane.simulation.world;

import java.util.SplittableRandom;

/** What a seed's world has by the version of the simulator that it came with. */
public final class WorldVersion {
  /** Raised whenever seeds begin to make other worlds. */
  public static final int LATEST = 9;

  /** Of the seeds before it every fifth has what came with version 7: none that was kept then is among them. */
  private static final long ALL_SEVENTH = 10_000;

  private static final long FIFTH = 5;

  /** Of those seeds every fifth has what came with version 9: the next after each that has what came with 7. */
  private static final long OF_NINTH = 1;

  /** The worlds of job workers are what they were up to here: all that are kept, and those of each build. */
  private static final long OLD_JOBS = 1_000;

  private WorldVersion() {}

  /**
   * The seed of a world's rows of choices. Before version 9 it was the seed itself, and the rows of a seed those of the
   * one before without their first choice, so that neighbours had much of their faults and their runs in common.
   */
  public static long rows(long seed) {
    return isNinth(seed) ? mixed(seed) : seed;
  }

  /** The same of the worlds of job workers. */
  public static long rowsOfJobs(long seed) {
    return seed > OLD_JOBS ? mixed(seed) : seed;
  }

  private static long mixed(long seed) {
    return new SplittableRandom(seed).nextLong();
  }

  /** Whether the world of a seed has what came with version 7. */
  public static boolean isSeventh(long seed) {
    return seed > ALL_SEVENTH || seed % FIFTH == 0;
  }

  /** Whether the world of a seed has what came with version 9. */
  public static boolean isNinth(long seed) {
    return seed > ALL_SEVENTH || seed % FIFTH == OF_NINTH;
  }
}
