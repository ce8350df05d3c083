package dev.runlane.simulation.jobs;

import dev.runlane.jobs.RateLimit;
import dev.runlane.simulation.fault.Fault.Kind;
import dev.runlane.simulation.network.StorageLine;
import dev.runlane.simulation.world.Chance;
import dev.runlane.simulation.world.VirtualTime;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a seed's fleet of job workers is like.
 *
 * @param processes how many
 * @param lock how long locks last
 * @param stalledInterval how often lost jobs are looked for
 * @param concurrency handlers at a time of each worker
 * @param groupConcurrency active jobs of a group
 * @param globalConcurrency active jobs of the grouped queue
 * @param rate the limit of the limited queue
 * @param adds how often callers add something
 * @param isOperated whether operators pause, drain, retry, promote, cancel and remove
 * @param longestTrip how long a call to the store takes at most on each way
 * @param faultsUntil when the last fault is over and the last caller has gone, in microseconds since the start
 */
public record JobSetup(
    int processes,
    Duration lock,
    Duration stalledInterval,
    int concurrency,
    int groupConcurrency,
    int globalConcurrency,
    RateLimit rate,
    int adds,
    boolean isOperated,
    Duration longestTrip,
    long faultsUntil) {
  /** What may go wrong in a world of job workers. */
  public static Set<Kind> kinds() {
    return EnumSet.of(
        Kind.STORAGE_SLOW,
        Kind.STORAGE_REFUSED,
        Kind.STORAGE_SILENT,
        Kind.STORAGE_FAILED_AFTER_COMMIT,
        Kind.STORAGE_READ_ONLY,
        Kind.KILL,
        Kind.KILL_AT_CALL,
        Kind.PAUSE,
        Kind.RESTART,
        Kind.CLOCK_OFF,
        Kind.CLOCK_DRIFTS);
  }

  /** The fleet of this seed. */
  public static JobSetup of(long seed) {
    Chance chance = Chance.of(seed, "job setup");
    return new JobSetup(
        chance.from(2, 3),
        chance.happens(0.5) ? Duration.ofSeconds(30) : Duration.ofSeconds(10),
        Duration.ofSeconds(chance.from(3, 20)),
        chance.from(1, 4),
        chance.from(1, 2),
        chance.from(2, 4),
        new RateLimit(chance.from(1, 4), Duration.ofSeconds(chance.from(5, 20))),
        chance.from(20, 70),
        chance.happens(0.5),
        longestTrip(Chance.of(seed, "habits")),
        VirtualTime.micros(Duration.ofSeconds(chance.from(20 * 60, 22 * 60))));
  }

  private static Duration longestTrip(Chance chance) {
    return chance.happens(0.75)
        ? StorageLine.LONGEST_TRIP
        : Duration.ofMillis(chance.from(50, 1_500));
  }
}
