package dev.runlane.simulation.fleet;

import dev.runlane.simulation.world.Chance;
import dev.runlane.simulation.world.WorldVersion;

/**
 * How a seed's processes are deployed: how many there are, how long each stays, and what it has besides.
 *
 * @param isLone whether there is one process at a time, so that nobody else does what it forgets
 * @param isTicking whether processes have no roles, but make a few passes of {@code tick}, drain, and end
 * @param isPassing whether processes have consumers but no roles: each makes a pass of {@code tick} now and then
 * @param isFailingOver whether the storage has a standby that takes over and has lost the last commits then; then there
 *     is nothing beside runs whose loss would have to be excused
 * @param stops how many processes are told to end beside those of the list of faults
 * @param recalled how many runs use steps whose results are never the same again
 * @param isClocked whether there are schedules of every kind
 * @param wide how many runs have more steps at once than a page of history, where there are remote steps
 * @param bursts how often somebody asks for more runs of a narrow queue at once than it has slots for
 * @param many how often somebody asks for many runs in one call, and under a key that may have another payload
 */
record Manner(
    boolean isLone,
    boolean isTicking,
    boolean isPassing,
    boolean isFailingOver,
    int stops,
    int recalled,
    boolean isClocked,
    int wide,
    int many,
    int bursts) {
  private static final int PASSING = 15; // of a hundred
  private static final int FAILING_OVER = 15;

  /** The seeds before it are what they were when no run was wide: those that are kept, and those of each build. */
  private static final long FIRST_WIDE = 1_001;

  /** That of a seed. */
  static Manner of(long seed) {
    long rows = WorldVersion.rows(seed);
    Chance chance = Chance.of(rows, "manner");
    boolean isLone = chance.happens(0.25);
    boolean isTicking = chance.happens(isLone ? 0.4 : 0.05);
    int dice =
        isTicking || !WorldVersion.isNinth(seed) ? 99 : Chance.of(rows, "ninth").from(0, 99);
    boolean isFailingOver = dice >= PASSING && dice < PASSING + FAILING_OVER;
    return new Manner(
        isLone,
        isTicking,
        dice < PASSING,
        isFailingOver,
        chance.happens(0.5) ? chance.from(1, 6) : 0,
        chance.happens(0.5) ? chance.from(1, 6) : 0,
        chance.happens(isLone ? 0.7 : 0.1) && !isFailingOver,
        seed < FIRST_WIDE ? 0 : wide(Chance.of(rows, "wide")),
        WorldVersion.isSeventh(seed) ? many(Chance.of(rows, "many")) : 0,
        WorldVersion.isNinth(seed) ? Chance.of(rows, "bursts").from(0, 4) : 0);
  }

  private static int wide(Chance chance) {
    return chance.happens(0.1) ? chance.from(1, 2) : 0;
  }

  private static int many(Chance chance) {
    return chance.happens(0.6) ? chance.from(2, 12) : 0;
  }
}
