package dev.runlane.simulation.fleet;

import dev.runlane.simulation.world.Chance;
import dev.runlane.simulation.world.VirtualTime;
import java.time.Duration;

/**
 * What a seed's fleet is like.
 *
 * @param processes how many
 * @param lease how long leases last
 * @param sweep the pause of maintenance roles
 * @param concurrency handlers at a time in each process
 * @param triggers how many runs callers ask for
 * @param kept how long ended runs are kept; zero: for ever
 * @param faultsUntil when the last fault is over and the last caller has gone, in microseconds since the start
 */
public record Setup(
    int processes,
    Duration lease,
    Duration sweep,
    int concurrency,
    int triggers,
    Duration kept,
    long faultsUntil) {
  /** The fleet of this seed. */
  public static Setup of(long seed) {
    Chance chance = Chance.of(seed, "setup");
    return new Setup(
        chance.from(2, 4),
        chance.happens(0.5) ? Duration.ofSeconds(30) : Duration.ofSeconds(10),
        Duration.ofSeconds(chance.from(3, 15)),
        chance.from(1, 4),
        chance.from(20, 90),
        chance.happens(0.3) ? Duration.ofMinutes(chance.from(1, 5)) : Duration.ZERO,
        VirtualTime.micros(Duration.ofSeconds(chance.from(18 * 60, 22 * 60))));
  }

  /** How far clocks may be off: what the runtime tolerates. */
  public Duration toleratedSkew() {
    return lease.dividedBy(10);
  }
}
