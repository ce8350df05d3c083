package dev.runlane.simulation.fleet;

import dev.runlane.simulation.world.Chance;

/**
 * How a seed's processes are deployed: how many there are, how long each stays, and what it has besides.
 *
 * @param isLone whether there is one process at a time, so that nobody else does what it forgets
 * @param isTicking whether processes have no roles, but make a few passes of {@code tick}, drain, and end
 * @param stops how many processes are told to end beside those of the list of faults
 * @param recalled how many runs use steps whose results are never the same again
 * @param isClocked whether there are schedules of every kind
 */
record Manner(boolean isLone, boolean isTicking, int stops, int recalled, boolean isClocked) {
  /** That of a seed. */
  static Manner of(long seed) {
    Chance chance = Chance.of(seed, "manner");
    boolean isLone = chance.happens(0.25);
    return new Manner(
        isLone,
        chance.happens(isLone ? 0.4 : 0.05),
        chance.happens(0.5) ? chance.from(1, 6) : 0,
        chance.happens(0.5) ? chance.from(1, 6) : 0,
        chance.happens(isLone ? 0.7 : 0.1));
  }
}
