package dev.runlane.simulation.fleet;

import dev.runlane.simulation.world.Chance;
import dev.runlane.simulation.world.WorldVersion;

/**
 * How a seed's processes are deployed: how many there are, how long each stays, and what it has besides.
 *
 * @param isLone whether there is one process at a time, so that nobody else does what it forgets
 * @param isTicking whether processes have no roles, but make a few passes of {@code tick}, drain, and end
 * @param stops how many processes are told to end beside those of the list of faults
 * @param recalled how many runs use steps whose results are never the same again
 * @param isClocked whether there are schedules of every kind
 * @param wide how many runs have more steps at once than a page of history, where there are remote steps
 * @param many how often somebody asks for many runs in one call, and under a key that may have another payload
 */
record Manner(
    boolean isLone,
    boolean isTicking,
    int stops,
    int recalled,
    boolean isClocked,
    int wide,
    int many) {
  /** The seeds before it are what they were when no run was wide: those that are kept, and those of each build. */
  private static final long FIRST_WIDE = 1_001;

  /** That of a seed. */
  static Manner of(long seed) {
    Chance chance = Chance.of(seed, "manner");
    boolean isLone = chance.happens(0.25);
    return new Manner(
        isLone,
        chance.happens(isLone ? 0.4 : 0.05),
        chance.happens(0.5) ? chance.from(1, 6) : 0,
        chance.happens(0.5) ? chance.from(1, 6) : 0,
        chance.happens(isLone ? 0.7 : 0.1),
        seed < FIRST_WIDE ? 0 : wide(Chance.of(seed, "wide")),
        WorldVersion.isSeventh(seed) ? many(Chance.of(seed, "many")) : 0);
  }

  private static int wide(Chance chance) {
    return chance.happens(0.1) ? chance.from(1, 2) : 0;
  }

  private static int many(Chance chance) {
    return chance.happens(0.6) ? chance.from(2, 12) : 0;
  }
}
