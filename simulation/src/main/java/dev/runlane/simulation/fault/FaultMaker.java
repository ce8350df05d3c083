package dev.runlane.simulation.fault;

import dev.runlane.simulation.fault.Fault.Kind;
import dev.runlane.simulation.world.Chance;
import dev.runlane.simulation.world.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Makes the list of faults of a seed. */
public final class FaultMaker {
  private static final int MOST = 18;
  private static final double MOST_CUT = 0.2; // of the calls that change something
  private static final long MARGIN = VirtualTime.micros(Duration.ofSeconds(30));
  private static final List<Kind> OF_CALLS = List.of(
      Kind.STORAGE_SLOW,
      Kind.STORAGE_REFUSED,
      Kind.STORAGE_SILENT,
      Kind.STORAGE_FAILED_AFTER_COMMIT,
      Kind.STORAGE_READ_ONLY,
      Kind.PUBLISH_LOST,
      Kind.PUBLISH_DOUBLED,
      Kind.PUBLISH_DELAYED,
      Kind.PUBLISH_REFUSED,
      Kind.TRANSPORT_AWAY,
      Kind.CANCELLATION_LOST,
      Kind.WEBHOOK_REFUSED,
      Kind.COMMIT_REFUSED,
      Kind.STEP_NEVER_ANSWERED,
      Kind.STEP_ANSWERED_LATE,
      Kind.STEP_ANSWERED_TWICE,
      Kind.STEP_LOST,
      Kind.KILL_AT_CALL);
  private static final Set<Kind> OF_STEPS = EnumSet.of(
      Kind.STEP_NEVER_ANSWERED, Kind.STEP_ANSWERED_LATE, Kind.STEP_ANSWERED_TWICE, Kind.STEP_LOST);
  private static final List<Kind> OF_PROCESSES = List.of(
      Kind.KILL,
      Kind.KILL,
      Kind.PAUSE,
      Kind.PAUSE,
      Kind.RESTART,
      Kind.CLOCK_OFF,
      Kind.CLOCK_DRIFTS,
      Kind.TASK_MISSING,
      Kind.PAYLOAD_UNREADABLE,
      Kind.LIMIT_CHANGED,
      Kind.CONSUMER_SILENT,
      Kind.REBALANCE);

  private final Chance chance;
  private final Set<Kind> kinds;
  private final int processes;
  private final Duration lease;
  private final long until;

  private FaultMaker(long seed, Set<Kind> kinds, int processes, Duration lease, long until) {
    this.kinds = kinds;
    chance = Chance.of(seed, "faults");
    this.processes = processes;
    this.lease = lease;
    this.until = until;
  }

  /**
   * The faults of this seed, all over by then but for a transport that tells nobody of anything.
   *
   * @param kinds what may go wrong
   * @param until microseconds since the start
   */
  public static List<Fault> make(
      long seed, Set<Kind> kinds, int processes, Duration lease, long until) {
    return new FaultMaker(seed, kinds, processes, lease, until).all();
  }

  /**
   * Processes that are told to end and are followed by others.
   *
   * @param until microseconds since the start
   */
  public static List<Fault> stops(long seed, int count, int processes, long until) {
    Chance chance = Chance.of(seed, "stops");
    List<Fault> stops = new ArrayList<>();
    for (int number = 0; number < count; number++) {
      long from = chance.point(MARGIN, until - 2 * MARGIN);
      int process = chance.from(0, processes - 1);
      stops.add(new Fault(Kind.RESTART, process, from, from + 1, 1, chance.from(0, 3)));
    }
    return stops;
  }

  /**
   * Deployments with other schedules.
   *
   * @param editions how many there are beside the usual one
   * @param until microseconds since the start
   */
  public static List<Fault> edits(long seed, int editions, long until) {
    Chance chance = Chance.of(seed, "edits");
    List<Fault> edits = new ArrayList<>();
    int count = chance.from(0, 2);
    for (int number = 0; number < count; number++) {
      long from = chance.point(MARGIN, until - 2 * MARGIN);
      long length = chance.micros(Duration.ofMinutes(1), Duration.ofMinutes(6));
      long end = Math.min(from + length, until - MARGIN);
      edits.add(new Fault(Kind.SCHEDULE_EDITED, Fault.ALL, from, end, 1, chance.from(1, editions)));
    }
    return edits;
  }

  /**
   * Times at which connections to the storage break.
   *
   * @param until microseconds since the start
   */
  public static List<Fault> cuts(long seed, int processes, long until) {
    Chance chance = Chance.of(seed, "cuts");
    List<Fault> cuts = new ArrayList<>();
    int count = chance.happens(0.5) ? chance.from(1, 3) : 0;
    for (int number = 0; number < count; number++) {
      long from = chance.point(0, until - 2 * MARGIN);
      long length = chance.micros(Duration.ofSeconds(1), Duration.ofMinutes(8));
      int process = chance.happens(0.5) ? Fault.ALL : chance.from(0, processes - 1);
      double rate = MOST_CUT * chance.from(1, 100) / 100;
      cuts.add(new Fault(
          Kind.STORAGE_CUT, process, from, Math.min(from + length, until - MARGIN), rate, 0));
    }
    return cuts;
  }

  /**
   * Processes that are stopped for a while soon after they have claimed something.
   *
   * @param until microseconds since the start
   */
  public static List<Fault> freezes(long seed, int processes, long until) {
    Chance chance = Chance.of(seed, "freezes");
    List<Fault> freezes = new ArrayList<>();
    int count = chance.happens(0.5) ? chance.from(1, 3) : 0;
    for (int number = 0; number < count; number++) {
      long from = chance.point(MARGIN, until - 2 * MARGIN);
      long length = chance.micros(Duration.ofSeconds(40), Duration.ofMinutes(4));
      freezes.add(new Fault(
          Kind.PAUSE,
          chance.from(0, processes - 1),
          from,
          Math.min(from + length, until - MARGIN),
          1,
          chance.from(1, 3)));
    }
    return freezes;
  }

  /**
   * Takeovers by a standby that follows the storage a while later.
   *
   * @param until microseconds since the start
   */
  public static List<Fault> failovers(long seed, long until) {
    Chance chance = Chance.of(seed, "failovers");
    List<Fault> failovers = new ArrayList<>();
    int count = chance.from(4, 14);
    for (int number = 0; number < count; number++) {
      long from = chance.point(MARGIN, until - 4 * MARGIN);
      long end = from + (chance.happens(0.3) ? 1 : 2 * MARGIN);
      long lost = chance.micros(Duration.ofMillis(1), Duration.ofSeconds(8));
      failovers.add(new Fault(Kind.STORAGE_FAILOVER, Fault.ALL, from, end, 1, lost));
    }
    return failovers;
  }

  /**
   * A time in which nobody is told of anything by the storage and the tables of steps, as where all connections that
   * listen are dead and not known to be.
   *
   * @param until microseconds since the start
   */
  public static List<Fault> deafness(long seed, long until) {
    Chance chance = Chance.of(seed, "deafness");
    if (!chance.happens(0.4)) {
      return List.of();
    }
    long from = chance.point(0, until / 2);
    long length = chance.micros(Duration.ofMinutes(6), Duration.ofMinutes(12));
    return List.of(new Fault(
        Kind.CANCELLATION_LOST, Fault.ALL, from, Math.min(from + length, until - MARGIN), 1, 0));
  }

  /**
   * A deployment of one process that gives the shared queue no limit, while others have one.
   *
   * @param until microseconds since the start
   */
  public static List<Fault> unlimited(long seed, int processes, long until) {
    Chance chance = Chance.of(seed, "unlimited");
    if (processes < 2 || !chance.happens(0.5)) {
      return List.of();
    }
    long from = chance.point(MARGIN, until - 2 * MARGIN);
    long length = chance.micros(Duration.ofMinutes(1), Duration.ofMinutes(10));
    return List.of(new Fault(
        Kind.LIMIT_CHANGED,
        chance.from(0, processes - 1),
        from,
        Math.min(from + length, until - MARGIN),
        1,
        Fault.NO_LIMIT));
  }

  private List<Fault> all() {
    List<Fault> all = new ArrayList<>();
    if (kinds.contains(Kind.PUBLISH_LOST) && chance.happens(0.1)) { // for ever: polls must do
      all.add(new Fault(Kind.PUBLISH_LOST, Fault.ALL, 0, Long.MAX_VALUE, 1, 0));
    }
    int count = chance.happens(0.05) ? 0 : chance.from(1, MOST);
    for (int number = 0; number < count; number++) {
      int dice = chance.from(0, 9);
      boolean mayCutOff = kinds.contains(Kind.STORAGE_REFUSED);
      all.add(dice < 4 ? ofCalls() : dice < 6 && mayCutOff ? cutOff() : ofProcess());
    }
    return all;
  }

  private Fault ofCalls() {
    Kind kind = one(OF_CALLS);
    int process = OF_STEPS.contains(kind) || chance.happens(0.4) ? Fault.ALL : anyProcess();
    long from = from();
    boolean isTotal = kind != Kind.KILL_AT_CALL && chance.happens(0.4);
    long length = chance.micros(Duration.ofSeconds(1), Duration.ofMinutes(isTotal ? 3 : 8));
    double most = kind == Kind.KILL_AT_CALL ? 0.02 : 0.5;
    double rate = isTotal ? 1 : most * chance.from(1, 100) / 100;
    return new Fault(kind, process, from, end(from, length), rate, 0);
  }

  /** One process does not reach the storage for longer than its leases last, while the others do. */
  private Fault cutOff() {
    Kind kind = chance.happens(0.5) ? Kind.STORAGE_REFUSED : Kind.STORAGE_SILENT;
    return with(kind, from(), chance.micros(lease.dividedBy(2), lease.multipliedBy(5)));
  }

  private Fault ofProcess() {
    Kind kind = one(OF_PROCESSES);
    long from = from();
    return switch (kind) {
      case KILL -> with(kind, from, chance.micros(Duration.ofMillis(100), Duration.ofMinutes(1)));
      case PAUSE -> with(kind, from, chance.micros(lease.dividedBy(2), lease.multipliedBy(4)));
      case CONSUMER_SILENT ->
        with(kind, from, chance.micros(Duration.ofSeconds(5), Duration.ofMinutes(1)));
      case LIMIT_CHANGED -> limitChanged(from);
      case PAYLOAD_UNREADABLE -> payloadUnreadable(from);
      case REBALANCE -> new Fault(kind, Fault.ALL, from, from + 1, 1, 0);
      case CLOCK_OFF -> clockOff(from);
      case CLOCK_DRIFTS ->
        new Fault(kind, anyProcess(), 0, until - MARGIN, 1, chance.from(-1_000, 1_000));
      default -> with(kind, from, chance.micros(Duration.ofSeconds(10), Duration.ofMinutes(5)));
    };
  }

  /** Mostly within what is tolerated, and sometimes far beyond. */
  private Fault clockOff(long from) {
    boolean isFar = chance.happens(0.25);
    long tolerated = VirtualTime.micros(lease.dividedBy(10)) * 9 / 10;
    long ahead = isFar
        ? chance.micros(lease, Duration.ofMinutes(4)) * (chance.happens(0.5) ? 1 : -1)
        : chance.point(-tolerated, tolerated);
    boolean isAlways = !isFar && chance.happens(0.5);
    long length = chance.micros(Duration.ofSeconds(10), Duration.ofMinutes(8));
    long begin = isAlways ? 0 : from;
    return new Fault(
        Kind.CLOCK_OFF,
        anyProcess(),
        begin,
        isAlways ? until - MARGIN : end(from, length),
        1,
        ahead);
  }

  /** In one process, or rolled out to all, so that nobody reads it until that is mended. */
  private Fault payloadUnreadable(long from) {
    int process = chance.happens(0.5) ? Fault.ALL : anyProcess();
    long length = chance.micros(Duration.ofSeconds(10), Duration.ofMinutes(5));
    return new Fault(Kind.PAYLOAD_UNREADABLE, process, from, end(from, length), 1, 0);
  }

  private Fault limitChanged(long from) {
    int process = chance.happens(0.5) ? Fault.ALL : anyProcess();
    long length = chance.micros(Duration.ofSeconds(30), Duration.ofMinutes(8));
    int limit = chance.one(List.of(1, 1, 3, 4));
    return new Fault(Kind.LIMIT_CHANGED, process, from, end(from, length), 1, limit);
  }

  private Fault with(Kind kind, long from, long length) {
    return new Fault(kind, anyProcess(), from, end(from, length), 1, 0);
  }

  private Kind one(List<Kind> of) {
    return chance.one(of.stream().filter(kinds::contains).toList());
  }

  private int anyProcess() {
    return chance.from(0, processes - 1);
  }

  private long from() {
    return chance.point(0, until - 2 * MARGIN);
  }

  private long end(long from, long length) {
    return Math.min(from + Math.max(1, length), until - MARGIN);
  }
}
