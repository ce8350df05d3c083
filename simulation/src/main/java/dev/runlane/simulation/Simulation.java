package dev.runlane.simulation;

import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.operate.EventText;
import dev.runlane.simulation.check.FinalChecks;
import dev.runlane.simulation.fault.Fault;
import dev.runlane.simulation.fault.Fault.Kind;
import dev.runlane.simulation.fault.FaultMaker;
import dev.runlane.simulation.fault.Faults;
import dev.runlane.simulation.fleet.Callers;
import dev.runlane.simulation.fleet.Clockwork;
import dev.runlane.simulation.fleet.Fleet;
import dev.runlane.simulation.fleet.Operators;
import dev.runlane.simulation.fleet.Setup;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.network.StorageLine;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.Trace;
import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.simulation.world.WorldVersion;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunSummary;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * One world, from its seed: a fleet works while faults hit it, then nothing goes wrong any more, and within a bound
 * every run has ended. Nothing but the seed and the list of faults decides what happens.
 */
public final class Simulation {
  /** The version of the world, as the file of the seeds done has it. */
  static final int WORLD = WorldVersion.LATEST;

  private static final long LOOK = VirtualTime.micros(Duration.ofSeconds(10));
  private static final Duration TO_CLOSE = Duration.ofSeconds(75);
  /** Every scheduler has made up for what was missed by then. */
  private static final Duration TO_CATCH_UP = Duration.ofMinutes(5);

  /** Nothing else goes wrong then, so that what nobody is told of must be found all the same. */
  private static final long AROUND_DEAFNESS = VirtualTime.micros(Duration.ofMinutes(1));

  private static final int MOST_VIOLATIONS = 50;

  /** They take no lease away. */
  private static final Set<Kind> HARMLESS = EnumSet.of(
      Kind.PUBLISH_LOST,
      Kind.PUBLISH_DOUBLED,
      Kind.PUBLISH_DELAYED,
      Kind.PUBLISH_REFUSED,
      Kind.TRANSPORT_AWAY,
      Kind.COMMIT_REFUSED,
      Kind.CONSUMER_SILENT,
      Kind.REBALANCE,
      Kind.STEP_NEVER_ANSWERED,
      Kind.STEP_ANSWERED_LATE,
      Kind.STEP_ANSWERED_TWICE,
      Kind.STEP_LOST,
      Kind.WEBHOOK_REFUSED,
      Kind.CANCELLATION_LOST);

  /** They keep a command from being carried out at once. */
  private static final Set<Kind> LATE =
      EnumSet.of(Kind.STORAGE_SLOW, Kind.STORAGE_SILENT, Kind.STORAGE_CUT, Kind.PAUSE);

  private final long seed;
  private final List<Fault> list;
  private final Setup setup;
  private final VirtualTime time;
  private final Trace trace;
  private final Faults faults;
  private final Fleet fleet;
  private final Callers callers;
  private final Operators operators;
  private final List<Violation> violations = new ArrayList<>();

  private Simulation(long seed, Setup setup, List<Fault> list, boolean isTraced) {
    this.seed = seed;
    long rows = WorldVersion.rows(seed);
    this.list = list;
    this.setup = setup;
    time = new VirtualTime((life, thrown) ->
        found(new Violation(Rule.MISTAKE, life.toString(), "thrown past every catch: " + thrown)));
    trace = new Trace(time, isTraced);
    faults = new Faults(list, rows);
    fleet = new Fleet(rows, setup, faults, faults.clocksDiffer(), time, trace, this::found);
    callers = new Callers(rows, fleet, setup, trace, this::found);
    operators = new Operators(rows, fleet, setup, time, trace, this::found);
  }

  /** The faults that the seed makes. */
  public static List<Fault> faults(long seed) {
    Setup setup = Setup.of(seed);
    long rows = WorldVersion.rows(seed);
    List<Fault> all = new ArrayList<>(FaultMaker.make(
        rows, setup.kinds(), setup.processes(), setup.lease(), setup.faultsUntil()));
    all.addAll(FaultMaker.stops(rows, setup.stops(), setup.processes(), setup.faultsUntil()));
    if (WorldVersion.isSeventh(seed)) {
      if (setup.kinds().contains(Kind.LIMIT_CHANGED)) {
        all.addAll(FaultMaker.unlimited(rows, setup.processes(), setup.faultsUntil()));
      }
      if (setup.kinds().contains(Kind.STORAGE_CUT)) {
        all.addAll(FaultMaker.cuts(rows, setup.processes(), setup.faultsUntil()));
      }
    }
    if (WorldVersion.isNinth(seed)) {
      all.addAll(FaultMaker.freezes(rows, setup.processes(), setup.faultsUntil()));
    }
    if (setup.isFailingOver()) {
      all.addAll(FaultMaker.failovers(rows, setup.faultsUntil()));
    }
    if (setup.isClocked()) {
      all.addAll(FaultMaker.edits(rows, Clockwork.EDITED, setup.faultsUntil()));
    }
    if (WorldVersion.isNinth(seed) && setup.stepWorkers() > 0) {
      for (Fault deafness : FaultMaker.deafness(rows, setup.faultsUntil())) {
        all.removeIf(other -> other.from() < deafness.until() + 2 * AROUND_DEAFNESS
            && other.until() > deafness.from() - AROUND_DEAFNESS);
        all.add(deafness);
      }
    }
    return all;
  }

  /** Runs the world of a seed. */
  public static Result run(long seed) {
    return run(seed, faults(seed));
  }

  /** Runs the world of a seed with these faults instead of its own. */
  public static Result run(long seed, List<Fault> faults) {
    return new Simulation(seed, Setup.of(seed), faults, false).result();
  }

  /** The same, keeping a line of everything that happens. */
  public static Result trace(long seed, List<Fault> faults) {
    return new Simulation(seed, Setup.of(seed), faults, true).result();
  }

  private Result result() {
    fleet.start();
    callers.start();
    operators.start();
    time.runUntil(setup.faultsUntil());
    fleet.deployWhole();
    if (violations.isEmpty()) {
      settle();
    }
    FinalChecks checks = new FinalChecks(
        fleet, callers, faults.clocksDiffer(), longestWait(), usualWait(), mayLoseNoAttempt());
    if (violations.isEmpty()) {
      checks.violations().forEach(this::found);
    }
    if (violations.isEmpty()) {
      fleet.close();
      time.runUntil(time.now() + VirtualTime.micros(TO_CLOSE));
      fleet.checkLeftovers();
      checks.afterClose().forEach(this::found);
    }
    violations.stream().map(Violation::subject).distinct().forEach(this::noteHistory);
    return new Result(
        seed,
        list,
        violations,
        trace.lines(),
        time.steps(),
        fleet.stored().all().size() + fleet.pruned().size(),
        faults.counts(),
        Duration.ofNanos(time.now() * 1_000));
  }

  /** Lets the fleet come to rest, and reports what has not within the bound. */
  private void settle() {
    long until = time.now() + VirtualTime.micros(bound(fleet.stored().active().size()));
    long caughtUp = time.now() + (setup.isClocked() ? VirtualTime.micros(TO_CATCH_UP) : 0);
    while (time.now() < until && violations.isEmpty()) {
      time.runUntil(time.now() + LOOK);
      if (fleet.isWhole() && fleet.isAtRest() && time.now() >= caughtUp) {
        return;
      }
    }
    for (RunSummary run : fleet.stored().active()) {
      found(new Violation(
          Rule.TERMINAL, run.id(), "it is " + run.status().value() + ", due at " + run.runAt()));
    }
    if (violations.isEmpty()) {
      found(new Violation(Rule.OUTBOX, "the fleet", "has not come to rest: " + fleet.unrest()));
    }
  }

  /**
   * How long after the last fault every run has ended: what a crash leaves is taken over after a lease and a poll,
   * whatever waits is due within its longest delay and within what the furthest clock was ahead, a wakeup is given up
   * after its tries, and then the runs of a narrow queue are worked on one after the other.
   */
  private Duration bound(int active) {
    return setup
        .lease()
        .multipliedBy(6)
        .plus(Duration.ofMinutes(30))
        .plus(faults.clocksDiffer())
        .plus(Duration.ofSeconds(60).multipliedBy(active));
  }

  private boolean mayLoseNoAttempt() {
    return setup.habits().poisoned() == 0
        && !setup.isTicking()
        && list.stream().allMatch(fault -> HARMLESS.contains(fault.kind()));
  }

  /** What a command may be late: its way to the storage, and the pauses of its process. */
  private Duration longestWait() {
    long paused = list.stream()
        .filter(fault -> fault.kind() == Kind.PAUSE)
        .mapToLong(fault -> fault.until() - fault.from())
        .sum();
    return StorageLine.DEADLINE.multipliedBy(3).plus(Duration.ofNanos(paused * 1_000));
  }

  /** The same where no fault of this world makes one late. */
  private Duration usualWait() {
    boolean isLate = list.stream().anyMatch(fault -> LATE.contains(fault.kind()));
    return isLate ? longestWait() : setup.habits().longestTrip().multipliedBy(8);
  }

  /** What the storage has of a run that a promise was broken of; nothing where the subject is no run. */
  private void noteHistory(String subject) {
    RunRecord run = fleet.stored().run(subject);
    if (run == null) {
      return;
    }
    trace.note(Lifetime.WORLD, "STORED " + run);
    for (RunEventRecord stored : fleet.stored().history(subject)) {
      RunEvent event = stored.event();
      trace.note(
          Lifetime.WORLD,
          "HISTORY " + stored.sequence() + " " + event.header().occurredAt() + " "
              + event.type().value() + " " + event.accept(new EventText()));
    }
    fleet
        .stored()
        .outbox(subject)
        .forEach(message -> trace.note(Lifetime.WORLD, "OUTBOX " + message));
  }

  private void found(Violation violation) {
    if (fleet.excuses(violation)) {
      return;
    }
    trace.note(Lifetime.WORLD, "VIOLATION " + violation);
    if (violations.size() < MOST_VIOLATIONS) {
      violations.add(violation);
    }
  }
}
