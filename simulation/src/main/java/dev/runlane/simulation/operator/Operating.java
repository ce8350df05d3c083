package dev.runlane.simulation.operator;

import dev.runlane.simulation.world.Chance;

/**
 * What operators and listeners do in a seed's world.
 *
 * @param queuePauses how often a queue is paused and resumed
 * @param schedulePauses how often the schedule is
 * @param fires how often the schedule is fired by hand
 * @param redrives how often what was given up is published again
 * @param waits how often somebody waits for the end of a run
 * @param tells whether webhooks are told of ends
 * @param listens whether every process listens to ends
 * @param counts whether processes count what they do
 */
public record Operating(
    int queuePauses,
    int schedulePauses,
    int fires,
    int redrives,
    int waits,
    boolean tells,
    boolean listens,
    boolean counts) {
  /** Nothing. */
  public static final Operating NONE = new Operating(0, 0, 0, 0, 0, false, false, false);

  /** That of a seed. */
  public static Operating of(long seed) {
    Chance chance = Chance.of(seed, "operating");
    return new Operating(
        times(chance, 0.5, 4),
        times(chance, 0.3, 3),
        times(chance, 0.3, 4),
        times(chance, 0.3, 3),
        times(chance, 0.4, 6),
        chance.happens(0.4),
        chance.happens(0.2),
        chance.happens(0.3));
  }

  /** The same without webhooks. */
  public Operating tellingNobody() {
    return new Operating(
        queuePauses, schedulePauses, fires, redrives, waits, false, listens, counts);
  }

  private static int times(Chance chance, double rate, int most) {
    return chance.happens(rate) ? chance.from(1, most) : 0;
  }
}
