package dev.runlane.simulation.world;

/** What a seed's world has by the version of the simulator that it came with. */
public final class WorldVersion {
  /** Raised whenever seeds begin to make other worlds. */
  public static final int LATEST = 8;

  /** Of the seeds before it every fifth has what came with version 7: none that was kept then is among them. */
  private static final long ALL_SEVENTH = 10_000;

  private static final long FIFTH = 5;

  private WorldVersion() {}

  /** Whether the world of a seed has what came with version 7. */
  public static boolean isSeventh(long seed) {
    return seed > ALL_SEVENTH || seed % FIFTH == 0;
  }
}
