package dev.runlane.simulation.fleet;

import dev.runlane.simulation.fault.Fault.Kind;
import dev.runlane.simulation.operator.Operating;
import dev.runlane.simulation.world.Chance;
import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.simulation.world.WorldVersion;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What a seed's fleet is like.
 *
 * @param processes how many
 * @param lease how long leases last
 * @param sweep the pause of maintenance roles
 * @param concurrency handlers at a time in each process
 * @param triggers how many runs callers ask for
 * @param kept how long ended runs are kept; zero: for ever
 * @param prunes how often operators prune, and free a key
 * @param stepWorkers how many workers of remote steps there are; 0: no remote steps
 * @param transport how wakeups come to workers
 * @param habits in what its processes differ from those that nobody has configured
 * @param manner how its processes are deployed
 * @param operating what operators and listeners do
 * @param faultsUntil when the last fault is over and the last caller has gone, in microseconds since the start
 */
public record Setup(
    int processes,
    Duration lease,
    Duration sweep,
    int concurrency,
    int triggers,
    Duration kept,
    int prunes,
    int stepWorkers,
    Transport transport,
    Habits habits,
    Manner manner,
    Operating operating,
    long faultsUntil) {
  /** What leaves no run without a wakeup, where nothing but wakeups begins one. */
  private static final List<Kind> SURVIVED_ALONE = List.of(
      Kind.PUBLISH_DOUBLED,
      Kind.PUBLISH_DELAYED,
      Kind.WEBHOOK_REFUSED,
      Kind.CANCELLATION_LOST,
      Kind.COMMIT_REFUSED,
      Kind.CONSUMER_SILENT,
      Kind.REBALANCE,
      Kind.KILL,
      Kind.KILL_AT_CALL,
      Kind.PAUSE,
      Kind.RESTART,
      Kind.LIMIT_CHANGED,
      Kind.SCHEDULE_EDITED,
      Kind.PAYLOAD_UNREADABLE,
      Kind.STEP_NEVER_ANSWERED,
      Kind.STEP_ANSWERED_LATE,
      Kind.STEP_ANSWERED_TWICE,
      Kind.STEP_LOST);

  /** Handlers at a time at least, where no other process works on what comes meanwhile. */
  private static final int ENOUGH_ALONE = 3;

  /** How long operators keep ended runs at least. */
  static final Duration OPERATORS_KEEP = Duration.ofMinutes(1);

  /** The fleet of this seed. */
  public static Setup of(long seed) {
    long rows = WorldVersion.rows(seed);
    Chance chance = Chance.of(rows, "setup");
    Manner manner = Manner.of(seed);
    int processes = chance.from(2, 4);
    return new Setup(
        manner.isLone() ? 1 : processes,
        chance.happens(0.5) ? Duration.ofSeconds(30) : Duration.ofSeconds(10),
        Duration.ofSeconds(chance.from(3, 15)),
        Math.max(manner.isLone() ? ENOUGH_ALONE : 1, chance.from(1, 4)),
        chance.from(20, 90) / (manner.isLone() ? 2 : 1),
        kept(chance, manner),
        manner.isFailingOver() ? 0 : prunes(Chance.of(rows, "prunes")),
        manner.isFailingOver() ? 0 : stepWorkers(Chance.of(rows, "step workers")),
        transport(Chance.of(rows, "transport"), manner),
        Habits.of(Chance.of(rows, "habits")),
        manner,
        operating(rows, manner),
        VirtualTime.micros(Duration.ofSeconds(chance.from(20 * 60, 22 * 60))));
  }

  private static int prunes(Chance chance) {
    return chance.happens(0.4) ? chance.from(1, 12) : 0;
  }

  private static int stepWorkers(Chance chance) {
    return chance.happens(0.5) ? chance.from(1, 2) : 0;
  }

  /** A pass prunes nothing. */
  private static Duration kept(Chance chance, Manner manner) {
    Duration kept = chance.happens(0.3) ? Duration.ofMinutes(chance.from(1, 5)) : Duration.ZERO;
    return manner.isPassing() || manner.isFailingOver() ? Duration.ZERO : kept;
  }

  private static Operating operating(long rows, Manner manner) {
    if (manner.isFailingOver()) {
      return Operating.NONE;
    }
    Operating operating = Operating.of(rows);
    return manner.isTicking() || manner.isPassing() ? operating.tellingNobody() : operating;
  }

  private static Transport transport(Chance chance, Manner manner) {
    if (manner.isTicking()) {
      return Transport.HINTS;
    }
    if (manner.isPassing()) {
      return Transport.SHARED_ALONE;
    }
    int dice = chance.from(0, 19);
    return dice < 10
        ? Transport.HINTS
        : dice < 16 || manner.isFailingOver() ? Transport.SHARED : Transport.SHARED_ALONE;
  }

  /** How long ended runs are kept whoever prunes. */
  Duration leastKept() {
    return kept.isZero() || kept.compareTo(OPERATORS_KEEP) > 0 ? OPERATORS_KEEP : kept;
  }

  /** What may go wrong in this world. */
  public Set<Kind> kinds() {
    Set<Kind> kinds = kinds(transport);
    if (!operating.tells()) {
      kinds.remove(Kind.WEBHOOK_REFUSED);
    }
    if (isFailingOver()) {
      kinds.remove(Kind.LIMIT_CHANGED);
    }
    if (stepWorkers == 0) {
      kinds.removeAll(EnumSet.of(
          Kind.STEP_NEVER_ANSWERED,
          Kind.STEP_ANSWERED_LATE,
          Kind.STEP_ANSWERED_TWICE,
          Kind.STEP_LOST));
    }
    return kinds;
  }

  /** How often a process is told to end that no fault hits. */
  public int stops() {
    return manner.stops();
  }

  /** Whether processes have no roles, but a few passes of tick, and end. */
  public boolean isTicking() {
    return manner.isTicking();
  }

  /** Whether the storage has a standby that takes over, and has lost the last commits then. */
  public boolean isFailingOver() {
    return manner.isFailingOver();
  }

  /** Whether processes have consumers but no roles, and make a pass of tick now and then. */
  public boolean isPassing() {
    return manner.isPassing();
  }

  /** Whether there are schedules of every kind, all of whose fires are looked at. */
  public boolean isClocked() {
    return manner.isClocked();
  }

  /** How far clocks may be off: what the runtime tolerates. */
  public Duration toleratedSkew() {
    return lease.dividedBy(10);
  }

  private static Set<Kind> kinds(Transport transport) {
    return switch (transport) {
      case HINTS ->
        EnumSet.complementOf(EnumSet.of(Kind.COMMIT_REFUSED, Kind.CONSUMER_SILENT, Kind.REBALANCE));
      case SHARED -> EnumSet.complementOf(EnumSet.of(Kind.PUBLISH_LOST));
      case SHARED_ALONE -> EnumSet.copyOf(SURVIVED_ALONE);
    };
  }

  /** How wakeups come to workers. */
  public enum Transport {
    /** Every process is told of each; workers poll as well. */
    HINTS,
    /** Consumers share them, and workers poll beside them, as a net for what no wakeup came for. */
    SHARED,
    /** Consumers share them and there is no worker: every wakeup that is lost is missed. */
    SHARED_ALONE
  }
}
